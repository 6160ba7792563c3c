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
from toplabel.reproduction.report.facts import config_text, web_address
from toplabel.reproduction.report.html import is_page
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.labels import PAPERS
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.words import say

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


def write_crate(inputs: ReportInputs, folder: str | Path, checkout: str | Path) -> None:
    """Describe the files of the report in ``ro-crate-metadata.json``, and copy the workflow to
    them; the same files and inputs give the same bytes.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    folder : path-like
        ``reports``, with the pages, the document and data/ in it; files of others are left out.
    checkout : path-like
        The folder with the Snakefile.
    """
    folder = Path(folder)
    content = _Crate(inputs, folder).build(Path(checkout))
    with atomic_path(folder / CRATE) as path:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


class _Crate:
    """Makes the crate of one report."""

    def __init__(self, inputs: ReportInputs, folder: Path) -> None:
        self._inputs, self._run, self._folder = inputs, inputs.run, folder
        self._crate = ROCrate(version="1.1")
        # schema.org has sha256; the context of RO-Crate 1.1 is older than it.
        self._crate.metadata.extra_terms["sha256"] = "https://schema.org/sha256"

    def build(self, checkout: Path) -> dict[str, Any]:
        """Return the crate as JSON-LD."""
        run = self._run
        licence = self._add("https://spdx.org/licenses/MIT", "CreativeWork", name="MIT License")
        authors = self._add("#authors", "Organization", name="the toplabel authors")
        results = [self._add_file(path, path.relative_to(self._folder)) for path in self._files()]
        workflow = self._add_workflow(checkout)
        workflow["license"] = licence
        config = self._add("#config", "PropertyValue", name="config", value=config_text(run))
        action = self._crate.add_action(
            workflow,
            "#run",
            object=[*self._sets(), *self._raw_files(), config],
            result=results,
            properties={
                "name": "The run behind this report",
                "description": str(run["command"] or ""),
                "agent": authors,
                "actionStatus": {"@id": f"http://schema.org/{self._status()}"},
                "additionalProperty": self._facts(),
                **self._times(),
            },
        )
        words = {
            "name": "toplabel: reproduction report",
            "description": say("headline", score_of(self._inputs.comparison))
            + " Experiments of four papers on multiclass, top-k and multilabel classification, run"
            " again.",
            "datePublished": str(run["created"] or ""),
            "license": licence,
            "author": authors,
            "conformsTo": [
                self._add(
                    f"https://w3id.org/ro/wfrun/{key}/0.5", "CreativeWork", name=name, version="0.5"
                )
                for key, name in _PROFILES.items()
            ],
            "citation": [
                self._add(
                    f"#paper-{key}", "ScholarlyArticle", name=one.reference, alternateName=one.short
                )
                for key, one in PAPERS.items()
            ],
            "mentions": [action],
        }
        for key, value in words.items():
            self._crate.root_dataset[key] = value
        return self._crate.metadata.generate()

    def _add(self, identifier: str, kind: str, **properties: Any) -> Entity:
        return self._crate.add(ContextEntity(self._crate, identifier, {"@type": kind} | properties))

    # Results and code ----------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        """Return the files of the report that are there: pages, the document, data."""
        pages = [path for path in self._folder.glob("*.html") if is_page(path)]
        found = [*pages, *self._folder.glob("toplabel.pdf"), *self._folder.glob("data/**/*")]
        return sorted(path for path in found if path.suffix in _FORMATS and path.is_file())

    def _add_file(self, path: Path, name: Path) -> Entity:
        return self._crate.add_file(path, name, properties=_about(path, name))

    def _add_workflow(self, checkout: Path) -> Entity:
        """Copy the Snakefile, its rules and scripts, and say with what they ran."""
        main, *others = (path for one in _CODE_FILES for path in sorted(checkout.glob(one)))
        versions = dict(self._run["versions"])
        own = str(versions.pop("toplabel", "") or "unknown")
        git, name = self._run["git"], Path(CODE, main.name)
        changes = " with uncommitted changes" if git.get("dirty") else ""
        words = {
            "name": "toplabel",
            "softwareVersion": own,
            "version": f"{git.get('commit') or 'unknown'}{changes}",
            "softwareRequirements": [
                self._add(
                    f"#software-{quote(package)}",
                    "SoftwareApplication",
                    name=package,
                    softwareVersion=str(version),
                )
                for package, version in versions.items()
            ],
        }
        workflow = self._crate.add_workflow(
            main,
            name,
            main=True,
            lang="snakemake",
            lang_version=versions.get("snakemake"),
            properties=_about(main, name) | words,
        )
        parts = [self._add_file(path, CODE / path.relative_to(checkout)) for path in others]
        workflow["hasPart"] = parts
        shutil.rmtree(self._folder / CODE, ignore_errors=True)
        for part in (workflow, *parts):
            part.write(self._folder)
        return workflow

    # Inputs --------------------------------------------------------------------------------------

    def _sets(self) -> Iterator[Entity]:
        """Yield the data sets that were there; the generated ones have no files."""
        sets = self._inputs.datasets
        for row in sets[sets["status"] == "ready"].to_dict("records"):
            words = {"citation": row["citation"], "license": row["licence"], "url": row["url"]}
            raw = self._inputs.raw.get(row["dataset"], ())
            words["hasPart"] = [{"@id": _raw_id(row["dataset"], one)} for one in raw]
            if not raw:
                words["description"] = "Made by the code, from a seed or from a package."
            words = {key: value for key, value in words.items() if value}
            yield self._add(f"#set-{row['dataset']}", "CreativeWork", name=row["title"], **words)

    def _raw_files(self) -> Iterator[Entity]:
        raw = self._inputs.raw
        for dataset, file in ((name, one) for name in sorted(raw) for one in raw[name]):
            identifier = _raw_id(dataset, file)
            if self._crate.get(identifier):  # sets may share a file
                continue
            about = f"Raw file of {dataset}; size and sum are those of the uncompressed content."
            sums = {"sha256": file.get("sha256"), "contentSize": file.get("size")}
            words = {key: str(value) for key, value in sums.items() if value not in (None, "")}
            words |= {"name": file["name"], "description": about}
            if identifier.startswith("#"):
                yield self._add(identifier, "CreativeWork", **words)
            else:
                yield self._crate.add_file(identifier, properties=words)

    # The run -------------------------------------------------------------------------------------

    def _status(self) -> str:
        whole = self._inputs.failures.empty
        return "CompletedActionStatus" if whole else "FailedActionStatus"

    def _times(self) -> dict[str, str]:
        """Return start and end of the last invocation, as far as run.json knows them."""
        try:
            end = datetime.fromisoformat(str(self._run["created"]))
        except ValueError:
            return {}
        seconds = self._run["wall_seconds"]
        if not isinstance(seconds, (int, float)):
            return {"endTime": end.isoformat()}
        start = end - timedelta(seconds=round(seconds))
        return {"startTime": start.isoformat(), "endTime": end.isoformat()}

    def _facts(self) -> list[Entity]:
        """Return machine, BLAS, seeds and budget as named values."""
        run = self._run
        values = {f"machine: {name}": value for name, value in run["machine"].items()}
        values |= {key: json.dumps(run[key], sort_keys=True) for key in ("blas", "seeds")}
        values |= {"budget": run["budget"], "commit": run["git"].get("commit")}
        return [
            self._add(
                f"#fact-{name.replace(': ', '-')}", "PropertyValue", name=name, value=str(value)
            )
            for name, value in values.items()
            if value is not None
        ]


def _about(path: Path, name: Path) -> dict[str, str]:
    content = path.read_bytes()
    return {
        "name": name.as_posix(),
        "encodingFormat": _FORMATS.get(path.suffix, "text/plain"),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _raw_id(dataset: str, file: dict[str, Any]) -> str:
    """Return the address of a raw file, or a local name when it has none."""
    url = web_address(str(file.get("url") or ""))
    return urldefrag(url).url if url else f"#raw-{dataset}-{quote(file['name'])}"
