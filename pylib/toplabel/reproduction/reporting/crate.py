"""An RO-Crate of the report: what was run, on which inputs, with which code, and what came out.

The crate follows the profile Workflow Run Crate (https://w3id.org/ro/wfrun/workflow): the
Snakefile, of which the crate holds a copy with its rules and scripts, is the main entity, and the
run is a CreateAction of it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urldefrag

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from toplabel._core.files import atomic_path
from toplabel.reproduction.reporting.html import is_page
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import PAPERS
from toplabel.reproduction.reporting.score import score_of
from toplabel.reproduction.reporting.words import say

CRATE = "ro-crate-metadata.json"
#: Where the crate holds the workflow.
CODE = "code"
_CODE_FILES = ("Snakefile", "workflow/Snakefile", "workflow/rules/*.smk", "workflow/scripts/*.py")
_PROFILES = {"process": "Process Run Crate", "workflow": "Workflow Run Crate"}
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
    "data/findings.csv": "What became of the papers’ claims",
    "data/winners.csv": "The best methods of each column of the published tables",
    "data/differences.csv": "The cells that differ from the printed ones, and why",
    "data/failures.csv": "What an unfinished run did not get",
    "data/report.json": "Everything that is known of the run",
}


def write_crate(inputs: ReportInputs, folder: str | Path, checkout: str | Path) -> None:
    """Describe the files of the report in ``ro-crate-metadata.json``, and copy the workflow to
    them.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    folder : path-like
        ``reports``, with the pages, the document and data/ in it; files of others are left out.
    checkout : path-like
        The folder with the Snakefile.
    """
    folder, checkout = Path(folder), Path(checkout)
    text = json.dumps(build_crate(inputs, folder, checkout), indent=1, ensure_ascii=False)
    with atomic_path(folder / CRATE) as path:
        path.write_text(text + "\n", encoding="utf-8")


def build_crate(inputs: ReportInputs, folder: Path, checkout: Path) -> dict[str, Any]:
    """Return the crate as JSON-LD; the same files and inputs give the same bytes."""
    crate, run = ROCrate(version="1.1"), inputs.run
    # schema.org has sha256; the context of RO-Crate 1.1 is older than it.
    crate.metadata.extra_terms["sha256"] = "https://schema.org/sha256"
    licence = _add(crate, "https://spdx.org/licenses/MIT", "CreativeWork", name="MIT License")
    authors = _add(crate, "#authors", "Organization", name="the toplabel authors")
    profiles = [
        _add(
            crate, f"https://w3id.org/ro/wfrun/{key}/0.5", "CreativeWork", name=name, version="0.5"
        )
        for key, name in _PROFILES.items()
    ]
    papers = [
        _add(
            crate,
            f"#paper-{key}",
            "ScholarlyArticle",
            name=paper.reference,
            alternateName=paper.short,
        )
        for key, paper in PAPERS.items()
    ]
    files = [_add_file(crate, path, path.relative_to(folder)) for path in _files(folder)]
    workflow = _add_workflow(crate, checkout, folder, run)
    workflow["license"] = licence
    config = run["config"]
    text = config if isinstance(config, str) else json.dumps(config, sort_keys=True)
    action = crate.add_action(
        workflow,
        "#run",
        object=[
            *_sets(crate, inputs),
            *_raw_files(crate, inputs),
            _add(crate, "#config", "PropertyValue", name="config", value=text),
        ],
        result=files,
        properties={
            "name": "The run behind this report",
            "description": str(run["command"] or ""),
            "agent": authors,
            "actionStatus": {"@id": f"http://schema.org/{_status(inputs)}"},
            "additionalProperty": _facts(crate, run),
            **_times(run),
        },
    )
    words = {
        "name": "toplabel: reproduction report",
        "description": say("headline", score_of(inputs.comparison))
        + " Experiments of four papers on multiclass, top-k and multilabel classification, run again.",
        "datePublished": str(run["created"] or ""),
        "license": licence,
        "author": authors,
        "conformsTo": profiles,
        "citation": papers,
        "mentions": [action],
    }
    for key, value in words.items():
        crate.root_dataset[key] = value
    return crate.metadata.generate()


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))


# Results and code --------------------------------------------------------------------------------


def _files(folder: Path) -> list[Path]:
    """Return the files of the report that are there: pages, the document, data."""
    pages = [path for path in folder.glob("*.html") if is_page(path)]
    found = [*pages, *folder.glob("toplabel.pdf"), *folder.glob("data/**/*")]
    return sorted(path for path in found if path.suffix in _FORMATS and path.is_file())


def _add_file(crate: ROCrate, path: Path, name: Path) -> Entity:
    return crate.add_file(path, name, properties=_about(path, name))


def _about(path: Path, name: Path) -> dict[str, str]:
    content = path.read_bytes()
    return {
        "name": _NAMES.get(name.as_posix(), name.as_posix()),
        "encodingFormat": _FORMATS.get(path.suffix, "text/plain"),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _add_workflow(crate: ROCrate, checkout: Path, folder: Path, run: dict[str, Any]) -> Entity:
    """Copy the Snakefile, its rules and scripts, and say with what they ran."""
    main, *others = (path for pattern in _CODE_FILES for path in sorted(checkout.glob(pattern)))
    versions = dict(run["versions"])
    own = str(versions.pop("toplabel", "") or "unknown")
    packages = [
        _add(
            crate,
            f"#software-{quote(name)}",
            "SoftwareApplication",
            name=name,
            softwareVersion=str(version),
        )
        for name, version in versions.items()
    ]
    name = Path(CODE, main.name)
    git = run["git"]
    changes = " with uncommitted changes" if git.get("dirty") else ""
    workflow = crate.add_workflow(
        main,
        name,
        main=True,
        lang="snakemake",
        lang_version=versions.get("snakemake"),
        properties=_about(main, name)
        | {
            "name": "toplabel",
            "softwareVersion": own,
            "version": f"{git.get('commit') or 'unknown'}{changes}",
            "softwareRequirements": packages,
        },
    )
    parts = [_add_file(crate, path, CODE / path.relative_to(checkout)) for path in others]
    workflow["hasPart"] = parts
    shutil.rmtree(folder / CODE, ignore_errors=True)
    for part in (workflow, *parts):
        part.write(folder)
    return workflow


# Inputs ------------------------------------------------------------------------------------------


def _sets(crate: ROCrate, inputs: ReportInputs) -> Iterator[Entity]:
    """Yield the data sets that were there; the generated ones have no files."""
    ready = inputs.datasets[inputs.datasets["status"] == "ready"]
    for row in ready.to_dict("records"):
        words = {"citation": row["citation"], "license": row["licence"], "url": row["url"]}
        words = {key: value for key, value in words.items() if value}
        files = [
            {"@id": _raw_id(row["dataset"], one)} for one in inputs.raw.get(row["dataset"], ())
        ]
        if files:
            words["hasPart"] = files
        else:
            words["description"] = "Made by the code, from a seed or from a package."
        yield _add(crate, f"#set-{row['dataset']}", "CreativeWork", name=row["title"], **words)


def _raw_id(dataset: str, file: dict[str, Any]) -> str:
    """Return the address of a raw file, or a local name when it has none."""
    url = str(file.get("url") or "")
    if url.startswith(("http://", "https://")):
        return urldefrag(url).url
    return f"#raw-{dataset}-{quote(file['name'])}"


def _raw_files(crate: ROCrate, inputs: ReportInputs) -> Iterator[Entity]:
    for dataset in sorted(inputs.raw):
        for file in inputs.raw[dataset]:
            identifier = _raw_id(dataset, file)
            if crate.get(identifier):  # sets may share a file
                continue
            words = {
                "name": file["name"],
                "description": f"Raw file of {dataset}; size and sum are those of the uncompressed content.",
            }
            if file.get("sha256"):
                words["sha256"] = str(file["sha256"])
            if file.get("size") is not None:
                words["contentSize"] = str(file["size"])
            if identifier.startswith("#"):
                yield _add(crate, identifier, "CreativeWork", **words)
            else:
                yield crate.add_file(identifier, properties=words)


# The run -----------------------------------------------------------------------------------------


def _status(inputs: ReportInputs) -> str:
    return "CompletedActionStatus" if inputs.failures.empty else "FailedActionStatus"


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


def _facts(crate: ROCrate, run: dict[str, Any]) -> list[Entity]:
    """Return machine, BLAS, seeds and budget as named values."""
    values = {
        **{f"machine: {name}": value for name, value in run["machine"].items()},
        "BLAS": json.dumps(run["blas"], sort_keys=True),
        "seeds": json.dumps(run["seeds"], sort_keys=True),
        "budget": run["budget"],
        "commit": run["git"].get("commit"),
    }
    return [
        _add(
            crate,
            "#fact-" + name.lower().replace(": ", "-"),
            "PropertyValue",
            name=name,
            value=str(value),
        )
        for name, value in values.items()
        if value is not None
    ]
