"""The protocol in short: how hyper-parameters are selected and numbers compared, with the settings
of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toplabel.reproduction.reporting.labels import TOLERANCE
from toplabel.reproduction.reporting.numbers import count

_BUDGETS = {
    "quick": "The budget is “quick”: a smoke test, whose numbers mean nothing.",
    "standard": (
        "The budget is “standard”: grids that are refined around each metric’s best point, and on cheap"
        " sets the papers’ own."
    ),
    "paper": "The budget is “paper”: the grids that the papers name.",
}
_THRESHOLDS = {
    "tune": "the one with the best value of the metric on the validation data, chosen together with C",
    "constant": "a constant",
    "cardinality": "the one at which test images get as many labels as training images have",
}


def protocol_texts(run: Mapping[str, Any]) -> list[str]:
    """Return a few paragraphs; what run.json does not say is left out."""
    config = run["config"] if isinstance(run["config"], Mapping) else {}
    texts = [
        "Every method minimises P(W) = (1/n) Σ L(yᵢ, Wᵀxᵢ) + (λ/2)‖W‖² with C = 1/(λn), on the features as they are"
        " published: no bias, no centring, no scaling. For each method and each metric one C (with the RBF kernel also"
        " its width θ, with label sets also the threshold) is chosen: the best on the set’s own validation part, else"
        " by cross-validation. The model is trained with it on the full training part and measured on the test part.",
        _stops(config),
        _BUDGETS.get(str(run["budget"]), ""),
        _threshold(config),
        f"A measured number matches a published one within {TOLERANCE}, and is close within three times that. Farther"
        " away, but within two standard deviations over several draws (two standard errors of the difference where"
        " the paper prints a mean with its deviation), it is within the spread, which is no match.",
    ]
    return [text for text in texts if text]


def _stops(config: Mapping[str, Any]) -> str:
    if not {"eps_tune", "eps_train"} <= set(config):
        return ""
    text = f"Training stops at a relative duality gap of {config['eps_train']:g} ({config['eps_tune']:g} while tuning)"
    if {"max_epochs_train", "max_epochs_tune"} <= set(config):
        train, tune = (count(config[f"max_epochs_{part}"]) for part in ("train", "tune"))
        text += f" or after {train} passes over the data ({tune})"
    return text + "; the gap that was reached stands beside every number."


def _threshold(config: Mapping[str, Any]) -> str:
    threshold = config.get("threshold")
    strategy = threshold.get("strategy") if isinstance(threshold, Mapping) else None
    return (
        f"The threshold of label sets is {_THRESHOLDS[strategy]}."
        if strategy in _THRESHOLDS
        else ""
    )
