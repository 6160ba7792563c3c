"""Methods of others that the papers compare with, and that we run ourselves: see docs/protocol.md.

`toplabel.reproduction.config.baselines` names them; `create` imports the module of one only when it
is made: planning a run stays fast, and a change of one baseline trains no other method again.
"""

from toplabel.reproduction.baselines.models import Trained, Trainer
from toplabel.reproduction.baselines.trainers import create
from toplabel.reproduction.config.baselines import BASELINES, Baseline

__all__ = ["BASELINES", "Baseline", "Trained", "Trainer", "create"]
