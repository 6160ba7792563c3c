"""The page of the run: protocol, certificates, machine, versions and configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import PAPERS, VERDICTS
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.sections import NO_GAP, table_of
from toplabel.reproduction.report.tree import Fold, Part, Section, Text

NAME = "run"
_PROTOCOL = (
    "Every method minimises P(W) = (1/n) Σ L(yᵢ, Wᵀxᵢ) + (λ/2)‖W‖² with C = 1/(λn). The features of"
    " the papers enter as they are published: no bias, no centring, no scaling. For each method and"
    " each metric one C (with the RBF kernel also its width θ, with label sets also the threshold) is"
    " chosen: the best on the set’s own validation part, else by cross-validation. The model is"
    " trained with it on the full training part and measured on the test part."
)
_BUDGETS = {
    "quick": "a smoke test, whose numbers mean nothing.",
    "standard": "grids that are refined around each metric’s best point, and on cheap sets the"
    " papers’ own.",
    "paper": "the grids that the papers name.",
}
_NONCONVEX = (
    "The truncated top-k entropy is not convex and has no duality gap: the norm ‖∇P‖ of the gradient"
    " stands in its record, and the tolerance is on the gap of the convex problem in which each row"
    " keeps the classes that it drops, ‖∇P‖²/(2λ)."
)


def run_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    protocol: list[Part] = [Text(text) for text in _protocol(inputs)]
    if inputs.kept_run is not None:  # else the report is of own data
        changes = [
            Text(f"{one.what} {one.why}", lead=f"{one.date}:", style="item")
            for one in inputs.notes.deviations
        ]
        protocol.append(Fold("What changed after numbers were seen", [*changes]))
    papers: list[Part] = [
        Text(one.title, lead=f"{one.short}:", link=one.url, href=one.url, style="item")
        for one in PAPERS.values()
    ]
    return [
        Section("protocol", "The protocol in short", protocol),
        Section("certificates", "Certificates", _certificates(inputs)),
        Section("run", "Machine, versions, config", _facts(inputs.run)),
        Section("papers", "Papers", papers),
    ]


def _protocol(inputs: Inputs) -> list[str]:
    """Return how the numbers are made, in paragraphs."""
    config, budget = inputs.config, inputs.run["budget"]
    texts = [_PROTOCOL]
    if "eps_tune" in config and "eps_train" in config:
        texts.append(
            f"Training stops at a relative duality gap of {config['eps_train']:g}"
            f" ({config['eps_tune']:g} while tuning); the gap that was reached stands in the record"
            " of every number."
        )
    if budget in _BUDGETS:
        texts.append(f"The budget is “{budget}”: {_BUDGETS[budget]}")
    match, close, spread = (VERDICTS[key].meaning for key in ("match", "close", "spread"))
    texts.append(
        f"A measured number matches a printed one {match}, and is close {close}. It is within the"
        f" spread where it lies {spread}."
    )
    return texts


def certificates_sentence(inputs: Inputs) -> str:
    """Say how sure the measured numbers are."""
    frame = inputs.measured
    if frame.empty:
        return "No model was trained in this run."
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    stopped = frame[~bare & (frame["status"] != "converged")]
    text = "Every measured number comes from models that reached the tolerance on the duality gap."
    if bare.all():
        text = "No measured number comes from a model with a duality gap."
    elif len(stopped):
        causes = ", ".join(sorted(set(stopped["status"]) - {""})) or "no status"
        text = (
            f"{count(len(stopped))} of {count(int((~bare).sum()))} measured numbers come from a model"
            f" that stopped before it reached the tolerance ({causes}); they have the mark ‡."
        )
    largest = numbers.small(frame["relative_gap"].max())
    return f"{text} The largest relative gap is {largest}." if largest else text


def _certificates(inputs: Inputs) -> list[Part]:
    """Return how sure the numbers are; the gap of each stands in its record."""
    frame = inputs.measured
    parts: list[Part] = [Text(certificates_sentence(inputs))]
    if frame["gradient_norm"].notna().any():
        parts.append(Text(_NONCONVEX))
    bare = frame[frame["relative_gap"].isna() & frame["gradient_norm"].isna()]
    if len(bare):
        text = f"{count(len(bare))} more come from baselines or networks, which bound no distance"
        text += f" to an optimum ({NO_GAP})"
        if unfinished := int(bare["status"].str.contains("max_iter").sum()):
            text += f", and {count(unfinished)} of them reached the limit of passes"
        parts.append(Text(f"{text}."))
    return parts


def _facts(run: Mapping[str, Any]) -> list[Part]:
    """Return when, where and with what the run was made, and all that run.json says of it."""
    machine, git = run["machine"], run["git"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    found = {
        "created": run["created"],
        "command": run["command"],
        "budget": run["budget"],
        "wall time": timedelta(seconds=round(run["wall_seconds"] or 0)),
        "machine": ", ".join(f"{name} {value}" for name, value in machine.items()),
        "nodes": ", ".join(run.get("nodes", ())),
        "commit": f"{git.get('commit') or 'unknown'}{dirty}",
    }
    rows = [[name, str(value)] for name, value in found.items() if value]
    more = {
        key: run[key] for key in ("config", "seeds", "versions", "blas", "jobs") if run.get(key)
    }
    text = json.dumps(more, indent=2, ensure_ascii=False)
    title = "Configuration, seeds, versions, and what the jobs of each stage took"
    return [table_of("The run", ["What", "Value"], rows), Fold(title, [Text(text, style="code")])]
