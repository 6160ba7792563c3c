"""The losses as PyTorch functions and modules (``pip install 'toplabel[torch]'``); docs/pytorch.md.

>>> criterion = toplabel.torch.Loss("topk_ent", k=5)  # doctest: +SKIP
>>> criterion(network(images), classes).backward()  # doctest: +SKIP
"""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "toplabel.torch needs PyTorch: pip install 'toplabel[torch]'", name="torch"
    )

from toplabel.torch.functional import loss
from toplabel.torch.modules import Loss

__all__ = ["Loss", "loss"]
