"""An RO-Crate of the report: what was run, on which inputs, with which code, and what came out.

Written by hand after the RO-Crate 1.1 specification (https://w3id.org/ro/crate/1.1), with the run as a CreateAction in
the way of the Process Run Crate profile (https://w3id.org/ro/wfrun/process).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from toplabel.files import atomic_path
from toplabel.reporting.html import is_page
from toplabel.reporting.inputs import ReportInputs
from toplabel.reporting.labels import PAPERS
from toplabel.reporting.score import score_of

CRATE = "ro-crate-metadata.json"
_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
# schema.org has sha256; the context of RO-Crate 1.1 is older than it.
_CONTEXT = [f"{_SPECIFICATION}/context", {"sha256": "https://schema.org/sha256"}]
_LICENCE = "https://spdx.org/licenses/MIT"
_FORMATS = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".csv": "text/csv",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_NAMES = {
    "index.html": "The report: front page",
    "toplabel.pdf": "The report as a document",
    "data/comparison.csv": "Every published number beside the measured one",
    "data/evaluation.csv": "Every measured number",
    "data/datasets.csv": "The data sets",
    "data/findings.csv": "What became of the papers' claims",
    "data/winners.csv": "The best methods of each column of the published tables",
    "data/failures.csv": "What a run that did not finish asked for in vain",
    "data/report.json": "Everything that is known of the run",
}


def write_crate(inputs: ReportInputs, folder: str | Path) -> None:
    """Describe the files of the report in ``ro-crate-metadata.json``.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    folder : path-like
        ``reports``, with the pages, the document and data/ in it; files of others are left out.
    """
    folder = Path(folder)
    text = json.dumps(build_crate(inputs, folder), indent=1, ensure_ascii=False)
    with atomic_path(folder / CRATE) as path:
        path.write_text(text + "\n", encoding="utf-8")


def build_crate(inputs: ReportInputs, folder: Path) -> dict[str, Any]:
    """Return the crate as JSON-LD; the same files and inputs give the same bytes."""
    files = [_file(folder, path) for path in _files(folder)]
    sets = _sets(inputs)
    of_sets = (entry for name in sorted(inputs.raw) for entry in _raw(name, inputs.raw[name]))
    raw = list({entry["@id"]: entry for entry in of_sets}.values())  # sets may share a file
    software = _software(inputs.run)
    facts = _facts(inputs.run)
    web = [entry for entry in raw if entry["@type"] == "File"]
    papers = [_paper(key) for key in PAPERS]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": "toplabel: reproduction report",
        "description": score_of(inputs.comparison).headline
        + " Experiments of four papers on multiclass, top-k and multilabel classification, run again.",
        "datePublished": str(inputs.run["created"] or ""),
        "license": _ref(_LICENCE),
        "author": _ref("#authors"),
        "conformsTo": _ref(_PROFILE),
        "citation": _refs(papers),
        "hasPart": _refs([*files, *web]),
        "mentions": [_ref("#run")],
    }
    action = _action(inputs, files, [*sets, *raw, *([_config(inputs.run)])], facts)
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": CRATE,
                "@type": "CreativeWork",
                "conformsTo": _ref(_SPECIFICATION),
                "about": _ref("./"),
            },
            root,
            {
                "@id": _PROFILE,
                "@type": "CreativeWork",
                "name": "Process Run Crate",
                "version": "0.5",
            },
            {"@id": _LICENCE, "@type": "CreativeWork", "name": "MIT License"},
            {"@id": "#authors", "@type": "Organization", "name": "the toplabel authors"},
            action,
            _config(inputs.run),
            *software,
            *facts,
            *papers,
            *sets,
            *raw,
            *files,
        ],
    }


def _ref(identifier: str) -> dict[str, str]:
    return {"@id": identifier}


def _refs(entities: Iterable[dict[str, Any]]) -> list[dict[str, str]]:
    return [_ref(entity["@id"]) for entity in entities]


# Results -----------------------------------------------------------------------------------------


def _files(folder: Path) -> list[Path]:
    """The files of the report that are there: pages, the document, data."""
    pages = [path for path in folder.glob("*.html") if is_page(path)]
    found = [*pages, *folder.glob("toplabel.pdf"), *folder.glob("data/**/*")]
    return sorted(path for path in found if path.suffix in _FORMATS and path.is_file())


def _file(folder: Path, path: Path) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    content = path.read_bytes()
    return {
        "@id": quote(name),
        "@type": "File",
        "name": _NAMES.get(name, name),
        "encodingFormat": _FORMATS[path.suffix],
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


# Inputs ------------------------------------------------------------------------------------------


def _sets(inputs: ReportInputs) -> list[dict[str, Any]]:
    """The data sets that were there; the generated ones have no files."""
    ready = inputs.datasets[inputs.datasets["status"] == "ready"]
    found = []
    for row in ready.to_dict("records"):
        entity = {"@id": f"#set-{row['dataset']}", "@type": "CreativeWork", "name": row["title"]}
        words = {"citation": row["citation"], "license": row["licence"], "url": row["url"]}
        entity |= {key: value for key, value in words.items() if value}
        files = [_raw_id(row["dataset"], one) for one in inputs.raw.get(row["dataset"], ())]
        if files:
            entity["hasPart"] = [_ref(identifier) for identifier in files]
        else:
            entity["description"] = "Made by the code, from a seed or from a package."
        found.append(entity)
    return found


def _raw_id(dataset: str, file: dict[str, Any]) -> str:
    """The address of a raw file, or a name of its own when it has none."""
    url = str(file.get("url") or "")
    if urlsplit(url).scheme in ("http", "https"):
        return url if not urlsplit(url).fragment else url.partition("#")[0]
    return f"#raw-{dataset}-{quote(file['name'])}"


def _raw(dataset: str, files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for file in files:
        identifier = _raw_id(dataset, file)
        entity = {
            "@id": identifier,
            "@type": "CreativeWork" if identifier.startswith("#") else "File",
            "name": file["name"],
            "description": f"Raw file of {dataset}; size and sum are those of the uncompressed content.",
        }
        if file.get("sha256"):
            entity["sha256"] = str(file["sha256"])
        if file.get("size") is not None:
            entity["contentSize"] = str(file["size"])
        found.append(entity)
    return found


# The run -----------------------------------------------------------------------------------------


def _action(
    inputs: ReportInputs,
    files: list[dict[str, Any]],
    objects: list[dict[str, Any]],
    facts: list[dict[str, Any]],
) -> dict[str, Any]:
    run = inputs.run
    status = "CompletedActionStatus" if inputs.failures.empty else "FailedActionStatus"
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "The run behind this report",
        "description": str(run["command"] or ""),
        "instrument": _ref("#toplabel"),
        "agent": _ref("#authors"),
        "actionStatus": _ref(f"http://schema.org/{status}"),
        "object": _refs(objects),
        "result": _refs(files),
        "additionalProperty": _refs(facts),
    }
    return action | _times(run)


def _times(run: dict[str, Any]) -> dict[str, str]:
    """Start and end of the last invocation, as far as run.json knows them."""
    try:
        end = datetime.fromisoformat(str(run["created"]))
    except ValueError:
        return {}
    times = {"endTime": end.isoformat()}
    if isinstance(run["wall_seconds"], (int, float)):
        start = end - timedelta(seconds=round(run["wall_seconds"]))
        times["startTime"] = start.isoformat()
    return times


def _config(run: dict[str, Any]) -> dict[str, Any]:
    value = run["config"]
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return {"@id": "#config", "@type": "PropertyValue", "name": "config", "value": text}


def _software(run: dict[str, Any]) -> list[dict[str, Any]]:
    versions = dict(run["versions"])
    own = str(versions.pop("toplabel", ""))
    packages = [
        {
            "@id": f"#software-{quote(name)}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": str(version),
        }
        for name, version in versions.items()
    ]
    git = run["git"]
    commit = (
        f"{git.get('commit') or 'unknown'}{' with uncommitted changes' if git.get('dirty') else ''}"
    )
    toplabel = {
        "@id": "#toplabel",
        "@type": "SoftwareApplication",
        "name": "toplabel",
        "softwareVersion": own or "unknown",
        "version": commit,
        "license": _ref(_LICENCE),
        "softwareRequirements": _refs(packages),
    }
    return [toplabel, *packages]


def _facts(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Machine, BLAS, seeds and budget as named values."""
    values = {
        **{f"machine: {name}": value for name, value in run["machine"].items()},
        "BLAS": json.dumps(run["blas"], sort_keys=True),
        "seeds": json.dumps(run["seeds"], sort_keys=True),
        "budget": run["budget"],
        "commit": run["git"].get("commit"),
    }
    return [
        {
            "@id": "#fact-" + name.lower().replace(": ", "-"),
            "@type": "PropertyValue",
            "name": name,
            "value": str(value),
        }
        for name, value in values.items()
        if value is not None
    ]


def _paper(key: str) -> dict[str, Any]:
    return {
        "@id": f"#paper-{key}",
        "@type": "ScholarlyArticle",
        "name": PAPERS[key].reference,
        "alternateName": PAPERS[key].short,
    }
