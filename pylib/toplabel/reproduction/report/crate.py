"""An RO-Crate of the report: what was run, on which inputs, with which code, and what came out.

The crate follows the profile Workflow Run Crate (https://w3id.org/ro/wfrun/workflow): the
Snakefile, of which the crate holds a copy with its rules and scripts, is the main entity, and the
run is a CreateAction of it. Machine, versions and seeds stand in data/report.json.
"""

from __future__ import annotations

import json
import mimetypes
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urldefrag

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from toplabel.reproduction.files import atomic_path, file_sum
from toplabel.reproduction.report.inputs import Inputs, web_address
from toplabel.reproduction.report.render import is_page
from toplabel.reproduction.report.tree import Tree

CRATE = "ro-crate-metadata.json"
#: Where the crate holds the workflow.
CODE = "code"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
}


def write_crate(tree: Tree, inputs: Inputs, folder: Path, workflow: Mapping[str, Path]) -> None:
    """Describe the files of a report in ``ro-crate-metadata.json``, and copy the workflow to them.

    `workflow` has the files of the workflow by their names in the crate, the Snakefile first. The
    same files and inputs give the same bytes.
    """
    crate, run = ROCrate(version="1.1"), inputs.run
    # schema.org has sha256; the context of RO-Crate 1.1 is older than it.
    crate.metadata.extra_terms["sha256"] = "https://schema.org/sha256"
    licence = _add(crate, "https://spdx.org/licenses/MIT", "CreativeWork", name="MIT License")
    authors = _add(crate, "#authors", "Organization", name="the toplabel authors")
    results = [_add_file(crate, path, path.relative_to(folder)) for path in _files(folder)]
    main = _add_workflow(crate, inputs, folder, workflow)
    main["license"] = licence
    end = datetime.fromisoformat(run["created"])
    status = "FailedActionStatus" if inputs.missing else "CompletedActionStatus"
    config = json.dumps(run["config"], ensure_ascii=False)
    used = [*_raw_files(crate, inputs), _add(crate, "#config", "PropertyValue", value=config)]
    about_run = {
        "name": "The run behind this report",
        "agent": authors,
        "actionStatus": {"@id": f"http://schema.org/{status}"},
        "startTime": (end - timedelta(seconds=round(run["wall_seconds"] or 0))).isoformat(),
        "endTime": end.isoformat(),
    }
    action = crate.add_action(main, "#run", object=used, result=results, properties=about_run)
    profiles = [
        _add(crate, address, "CreativeWork", name=name, version="0.5")
        for address, name in _PROFILES.items()
    ]
    crate.name = "toplabel: reproduction report"
    crate.description = (
        f"{tree['headline']} Experiments of four papers on multiclass, top-k and multilabel"
        " classification, run again."
    )
    crate.datePublished = run["created"]
    crate.license = licence
    crate.root_dataset["author"] = authors
    crate.root_dataset["conformsTo"] = profiles
    crate.root_dataset["mentions"] = [action]
    with atomic_path(folder / CRATE) as path:
        text = json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def _add(crate: ROCrate, identifier: str, kind: str, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))


def _files(folder: Path) -> list[Path]:
    """Return the files of the report: pages, the document, data."""
    pages = [path for path in folder.glob("*.html") if is_page(path)]
    files = [*pages, *folder.glob("toplabel.pdf"), *folder.glob("data/**/*")]
    return sorted(path for path in files if path.suffix != ".sha256" and path.is_file())


def _add_file(crate: ROCrate, path: Path, name: Path) -> Entity:
    return crate.add_file(path, name, properties=_about(path, name))


def _about(path: Path, name: Path) -> dict[str, str]:
    return {
        "name": name.as_posix(),
        "encodingFormat": mimetypes.guess_type(path.name)[0] or "text/plain",
        "contentSize": str(path.stat().st_size),
        "sha256": file_sum(path),
    }


def _add_workflow(
    crate: ROCrate, inputs: Inputs, folder: Path, files: Mapping[str, Path]
) -> Entity:
    """Copy the Snakefile, its rules and scripts, and say of which version and commit they are."""
    (name, main), *others = ((Path(CODE, name), path) for name, path in files.items())
    git, versions = inputs.run["git"], inputs.run["versions"]
    changes = " with uncommitted changes" if git.get("dirty") else ""
    words = {
        "name": "toplabel",
        "softwareVersion": str(versions.get("toplabel") or "unknown"),
        "version": f"{git.get('commit') or 'unknown'}{changes}",
    }
    workflow = crate.add_workflow(
        main,
        name,
        main=True,
        lang="snakemake",
        lang_version=versions.get("snakemake"),
        properties=_about(main, name) | words,
    )
    parts = [_add_file(crate, path, name) for name, path in others]
    workflow["hasPart"] = parts
    shutil.rmtree(folder / CODE, ignore_errors=True)
    for part in (workflow, *parts):
        part.write(folder)
    return workflow


def _raw_files(crate: ROCrate, inputs: Inputs) -> Iterator[Entity]:
    """Yield the raw files with their sums, by their addresses, or by local names without one."""
    for dataset, files in inputs.raw.items():
        about = f"Raw file of {dataset}; size and sum are those of the uncompressed content."
        for file in files:
            url = web_address(file.get("url"))
            identifier = urldefrag(url).url if url else f"#raw-{dataset}-{quote(file['name'])}"
            if crate.get(identifier):  # sets may share a file
                continue
            sums = {"sha256": file.get("sha256"), "contentSize": file.get("size")}
            words = {key: str(value) for key, value in sums.items() if value not in (None, "")}
            words |= {"name": file["name"], "description": about}
            if url:
                yield crate.add_file(identifier, properties=words)
            else:
                yield _add(crate, identifier, "CreativeWork", **words)
