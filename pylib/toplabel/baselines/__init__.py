"""Methods of others that the papers compare with, and that we run ourselves: see docs/baselines.md.

`toplabel.config.baselines` names them; `create` makes the trainer of one. The modules of single
baselines are imported by name only, when one is made, so that planning a run stays light and a change of
one baseline trains that one again and no other method.
"""

from toplabel.baselines.models import Trained, Trainer
from toplabel.baselines.trainers import create
from toplabel.config.baselines import BASELINES, Baseline

__all__ = ["BASELINES", "Baseline", "Trained", "Trainer", "create"]
