"""The page of the run: protocol, certificates, machine, versions and configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.sections import table_of
from toplabel.reproduction.report.tree import Fold, Part, Section, Text
from toplabel.reproduction.report.words import WORDS

NAME = "run"


def run_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    protocol: list[Part] = [Text(text) for text in _protocol(inputs)]
    if inputs.of_papers:
        changes = [
            Text(f"{one.what} {one.why}", lead=f"{one.date}:", style="item")
            for one in inputs.notes.deviations
        ]
        protocol.append(Fold("What changed after numbers were seen", [*changes]))
    return [
        Section("protocol", "The protocol in short", protocol),
        Section("certificates", "Certificates", _certificates(inputs)),
        Section("run", "Machine, versions, config", _facts(inputs.run)),
    ]


def _protocol(inputs: Inputs) -> list[str]:
    """Return how the numbers are made, in paragraphs."""
    words, config = WORDS["protocol"], inputs.config
    texts = [words["method"] if inputs.of_papers else words["own"]]
    if {"tol_tune", "tol_train", "tol_other"} <= {*config}:
        texts.append(words["stop"].format(**config))
    if inputs.of_papers:
        texts += filter(None, [WORDS["budgets"].get(inputs.run["budget"])])
        meanings = {key: one.meaning for key, one in VERDICTS.items()}
        texts.append(words["verdicts"].format(**meanings))
    return texts


def certificates(inputs: Inputs) -> str:
    """Say how sure the measured numbers are; the gap of each stands in its record."""
    frame = inputs.measured
    if frame.empty:
        return "No model was trained in this run."
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    stopped = ~bare & (frame["status"] != "converged")
    with_gap = frame["relative_gap"].notna()
    said = []
    for measure, has in (("duality gap", with_gap), ("norm of the gradient", ~with_gap & ~bare)):
        if has.any():
            sure = count(int((has & ~stopped).sum()))
            said.append(f"{sure} come from models that reached the tolerance on the {measure}")
    if stopped.any():
        causes = ", ".join(sorted({*frame.loc[stopped, "status"]} - {""})) or "no status"
        said.append(
            f"{count(int(stopped.sum()))} from models that stopped before ({causes}), marked ‡"
        )
    if bare.any():
        none = count(int(bare.sum()))
        said.append(f"{none} from estimators, baselines or networks, which have no certificate")
    largest = numbers.small(frame["relative_gap"].max())
    text = f"Of {count(len(frame))} measured numbers, {'; '.join(said)}."
    return f"{text} The largest relative gap is {largest}." if largest else text


def _certificates(inputs: Inputs) -> list[Part]:
    has_norms = inputs.measured["gradient_norm"].notna().any()
    texts = [certificates(inputs), *([WORDS["protocol"]["nonconvex"]] if has_norms else [])]
    return [Text(text) for text in texts]


def _facts(run: Mapping[str, Any]) -> list[Part]:
    """Return when, where and with what the run was made, and all that run.json says of it."""
    machine, git = run["machine"], run["git"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    found = {
        "created": run["created"],
        "budget": run["budget"],
        "wall time": timedelta(seconds=round(run["wall_seconds"] or 0)),
        "machine": ", ".join(f"{name} {value}" for name, value in machine.items()),
        "commit": f"{git.get('commit') or 'unknown'}{dirty}",
    }
    rows = [[name, str(value)] for name, value in found.items() if value]
    more = {
        key: run[key] for key in ("config", "seeds", "versions", "blas", "jobs") if run.get(key)
    }
    text = json.dumps(more, indent=2, ensure_ascii=False)
    title = "Configuration, seeds, versions, and what the jobs of each stage took"
    return [table_of("The run", ["What", "Value"], rows), Fold(title, [Text(text, style="code")])]
