"""The page of the run: protocol, certificates, machine, versions and configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import PAPERS, VERDICTS
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.report.tables import NO_GAP, table_of
from toplabel.reproduction.report.tree import Fold, Part, Section, Text

NAME = "run"
_BUDGETS = {
    "quick": "a smoke test, whose numbers mean nothing.",
    "standard": "grids that are refined around each metric’s best point, and on cheap sets the"
    " papers’ own.",
    "paper": "the grids that the papers name.",
}
_THRESHOLDS = {
    "tune": "the one with the best value of the metric on the validation data, chosen together with C",
    "constant": "a constant",
    "cardinality": "the one at which test images get as many labels as training images have",
}


def run_sections(inputs: Inputs) -> list[Section]:
    """Return the sections of the page."""
    protocol: list[Part] = [Text(text) for text in protocol_of(inputs)]
    if inputs.kept_run is not None:  # else the report is of own data
        protocol.append(Fold("What changed after numbers were seen", _deviations(inputs)))
    return [
        Section("protocol", "The protocol in short", protocol),
        Section("certificates", "Certificates", _certificates(inputs)),
        Section("run", "Machine, versions, config", _facts(inputs.run)),
        Section(
            "papers",
            "Papers",
            [
                Text(
                    one.reference, link=one.url.removeprefix("https://"), href=one.url, style="item"
                )
                for one in PAPERS.values()
            ],
        ),
    ]


def _deviations(inputs: Inputs) -> list[Part]:
    return [
        Text(f"{one.what} {one.why}", lead=f"{one.date}:", style="item")
        for one in inputs.notes.deviations
    ]


def protocol_of(inputs: Inputs) -> list[str]:
    """Return how the numbers are made, in paragraphs."""
    config, budget = inputs.config, inputs.run["budget"]
    texts = [
        "Every method minimises P(W) = (1/n) Σ L(yᵢ, Wᵀxᵢ) + (λ/2)‖W‖² with C = 1/(λn). The"
        " features of the papers enter as they are published: no bias, no centring, no scaling. For"
        " each method and each metric one C (with the RBF kernel also its width θ, with label sets"
        " also the threshold) is chosen: the best on the set’s own validation part, else by"
        " cross-validation. The model is trained with it on the full training part and measured on the test part."
    ]
    if "eps_tune" in config and "eps_train" in config:
        passes = ""
        if "max_epochs_train" in config and "max_epochs_tune" in config:
            passes = (
                f" or after {count(config['max_epochs_train'])} passes over the data"
                f" ({count(config['max_epochs_tune'])})"
            )
        texts.append(
            f"Training stops at a relative duality gap of {config['eps_train']:g}"
            f" ({config['eps_tune']:g} while tuning){passes}; the gap that was reached stands beside"
            " every number."
            + (
                f" Competitors and the truncated entropy have a tolerance of {config['eps_other']:g}."
                if "eps_other" in config
                else ""
            )
        )
    if budget in _BUDGETS:
        texts.append(f"The budget is “{budget}”: {_BUDGETS[budget]}")
    strategy = dict(config.get("threshold") or {}).get("strategy")
    if strategy in _THRESHOLDS:
        texts.append(f"The threshold of label sets is {_THRESHOLDS[strategy]}.")
    match, close, spread = (VERDICTS[key].meaning for key in ("match", "close", "spread"))
    texts.append(
        f"A measured number matches a printed one {match}, and is close {close}. It is within the"
        f" spread where it lies {spread}."
    )
    return texts


# Certificates ------------------------------------------------------------------------------------


def certificates_sentence(inputs: Inputs) -> str:
    """Say how sure the measured numbers are."""
    frame = inputs.measured
    if frame.empty:
        return "No model was trained in this run."
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    stopped = frame[~bare & (frame["status"] != "converged")]
    if bare.all():
        texts = ["No measured number comes from a model with a duality gap."]
    elif len(stopped):
        causes = ", ".join(sorted(set(stopped["status"]) - {""})) or "no status"
        texts = [
            f"{count(len(stopped))} of {count(int((~bare).sum()))} measured numbers come from a model"
            f" that stopped before it reached the tolerance ({causes}); they have the mark ‡."
        ]
    else:
        texts = [
            "Every measured number comes from models that reached the tolerance on the duality gap."
        ]
    if largest := numbers.small(frame["relative_gap"].max()):
        texts.append(f"The largest relative gap is {largest}.")
    return " ".join(texts)


def _certificates(inputs: Inputs) -> list[Part]:
    """Return how sure the numbers are; the gap of each stands in its record."""
    frame = inputs.measured
    parts: list[Part] = [Text(certificates_sentence(inputs))]
    if frame["gradient_norm"].notna().any():
        parts.append(
            Text(
                "The truncated top-k entropy is not convex and has no duality gap: the norm ‖∇P‖ of the"
                " gradient stands in its record, and the tolerance is on the gap of the convex problem in"
                " which each row keeps the classes that it drops, ‖∇P‖²/(2λ)."
            )
        )
    bare = frame["relative_gap"].isna() & frame["gradient_norm"].isna()
    if bare.any():
        text = f"{count(int(bare.sum()))} more come from baselines or networks, which bound no"
        text += f" distance to an optimum ({NO_GAP})"
        unfinished = int(frame.loc[bare, "status"].str.contains("max_iter").sum())
        more = (
            f", and {count(unfinished)} of them reached the limit of passes" if unfinished else ""
        )
        parts.append(Text(f"{text}{more}."))
    return parts


# The run -----------------------------------------------------------------------------------------


def _facts(run: Mapping[str, Any]) -> list[Part]:
    machine, git, seconds = run["machine"], run["git"], run["wall_seconds"]
    cores, memory = machine.get("cores"), machine.get("memory_gib")
    hardware = [machine.get("cpu"), cores and f"{cores} cores", memory and f"{_plain(memory)} GiB"]
    dirty = ", with changes that are not committed" if git.get("dirty") else ""
    found = {name: _plain(run[name]) for name in ("created", "command", "budget", "seeds")} | {
        "wall time": numbers.duration(float(seconds)) if isinstance(seconds, (int, float)) else "",
        "nodes": ", ".join(run.get("nodes", ())),
        "machine": ", ".join(str(part) for part in [*hardware, machine.get("os")] if part),
        "BLAS": _libraries(run["blas"]),
        "versions": _plain(run["versions"]),
        "commit": str(git.get("commit") or "unknown") + dirty,
    }
    rows = [[name, text] for name, text in found.items() if text]
    parts: list[Part] = [table_of("The run", ["What", "Value"], rows)]
    if jobs := [one for one in run.get("jobs", ()) if "hours" in one]:
        stages = [
            [
                one["stage"],
                count(one["jobs"]),
                numbers.compact(one["hours"], 2),
                numbers.duration(float(one["longest_seconds"])),
                count(one["peak_mb"]),
            ]
            for one in jobs
        ]
        head = ["Stage", "Jobs", "Hours", "Longest job", "Most memory, MB"]
        parts.append(table_of("What the jobs of each stage took", head, stages))
    config = config_text(run)
    return [*parts, Fold("Configuration", [Text(config, style="code")])] if config else parts


def config_text(run: Mapping[str, Any]) -> str:
    """Return the configuration of the run as it is to be printed."""
    config = run["config"]
    return config if isinstance(config, str) else json.dumps(config, indent=2, ensure_ascii=False)


def web_address(url: str) -> str:
    """Return an address of the web; "" for any other."""
    return url if urlsplit(url).scheme in ("http", "https") else ""


def _libraries(value: object) -> str:
    """Return the names of the BLAS libraries, equal ones once."""
    if not isinstance(value, list):
        return _plain(value)
    entries = [one.values() if isinstance(one, dict) else [one] for one in value]
    return "; ".join(dict.fromkeys(" ".join(map(_plain, entry)) for entry in entries))


def _plain(value: object) -> str:
    """Return a value of run.json in words: lists with commas, objects as name and value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return numbers.compact(value, 6)
    return "" if value is None else str(value)
