"""Features of a trained network as input of the linear methods (``pip install 'toplabel[torch]'``); docs/torch.md."""

from toplabel.features.extraction import extract

__all__ = ["extract"]
