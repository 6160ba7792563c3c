"""Features of a trained network as input of the linear methods (``pip install 'toplabel[torch]'``);
docs/pytorch.md.
"""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "toplabel.features needs PyTorch: pip install 'toplabel[torch]'", name="torch"
    )

from toplabel.features.extraction import extract

__all__ = ["extract"]
