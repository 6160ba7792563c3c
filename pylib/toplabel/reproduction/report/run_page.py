"""The page of the run: protocol, certificates, machine, versions and configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from toplabel.reproduction.compare.verdicts import VERDICTS
from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import WORDS
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.tree import Fold, Part, Section, Text, table_of

NAME = "run"


def run_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    protocol: list[Part] = [Text(text) for text in _protocol(inputs)]
    if inputs.of_papers:
        changes = [
            Text(f"{change.what} {change.why}", lead=f"{change.date}:", style="item")
            for change in inputs.notes.deviations
        ]
        protocol.append(Fold("What changed after numbers were seen", [*changes]))
    return [
        Section("protocol", "The protocol in short", protocol),
        Section("certificates", "Certificates", _certificates(inputs)),
        Section("run", "Machine, versions, config", _facts(inputs.run)),
    ]


def _protocol(inputs: Inputs) -> list[str]:
    """Return the description of how the numbers are made, in paragraphs."""
    words, config = WORDS["protocol"], inputs.config
    texts = [words["method"] if inputs.of_papers else words["own"]]
    if {"tol_tune", "tol_train", "tol_other"} <= {*config}:
        texts.append(words["stop"].format(**config))
    if inputs.of_papers:
        texts += filter(None, [WORDS["budgets"].get(inputs.run["budget"])])
        meanings = {key: verdict.meaning for key, verdict in VERDICTS.items()}
        texts.append(words["verdicts"].format(**meanings))
    return texts


def certificates(inputs: Inputs) -> str:
    """Return the counts of certificates in words; the gap of each number stands in its record."""
    counts = inputs.totals["certificates"]
    if not counts["numbers"]:
        return "No model was trained in this run."
    words = []
    for key, measure in (("gap", "duality gap"), ("gradient", "norm of the gradient")):
        if counts[key]:
            number = count(counts[key])
            words.append(f"{number} come from models that reached the tolerance on the {measure}")
    if counts["stopped"]:
        causes = ", ".join(counts["causes"]) or "no status"
        number = count(counts["stopped"])
        words.append(f"{number} from models that stopped before ({causes}), marked ‡")
    if counts["none"]:
        number = count(counts["none"])
        words.append(f"{number} from estimators, baselines or networks, which have no certificate")
    text = f"Of {count(counts['numbers'])} measured numbers, {'; '.join(words)}."
    if counts["largest_gap"] is None:
        return text
    return f"{text} The largest relative gap is {numbers.small(counts['largest_gap'])}."


def _certificates(inputs: Inputs) -> list[Part]:
    has_norms = inputs.totals["certificates"]["any_gradient"]
    texts = [certificates(inputs), *([WORDS["protocol"]["nonconvex"]] if has_norms else [])]
    return [Text(text) for text in texts]


def _facts(run: Mapping[str, Any]) -> list[Part]:
    """Return when, where and with what the run was made, and all that run.json says of it."""
    machine, git = run["machine"], run["git"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    facts = {
        "created": run["created"],
        "budget": run["budget"],
        "wall time": timedelta(seconds=round(run["wall_seconds"] or 0)),
        "machine": ", ".join(f"{name} {value}" for name, value in machine.items()),
        "commit": f"{git.get('commit') or 'unknown'}{dirty}",
    }
    rows = [[name, str(value)] for name, value in facts.items() if value]
    more = {
        key: run[key] for key in ("config", "seeds", "versions", "blas", "jobs") if run.get(key)
    }
    text = json.dumps(more, indent=2, ensure_ascii=False)
    title = "Configuration, seeds, versions, and what the jobs of each stage took"
    return [table_of("The run", ["What", "Value"], rows), Fold(title, [Text(text, style="code")])]
