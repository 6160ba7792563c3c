"""From raw files or a generator to the prepared form."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from toplabel.datasets.embedded import load_embedded
from toplabel.datasets.fetch import check_sum, sha256_of
from toplabel.datasets.formats import FORMATS, Source
from toplabel.datasets.prepared import Loaded, Part, Prepared, validate_prepared
from toplabel.datasets.registry import Divide, Entry
from toplabel.datasets.statistics import check_row_count, compare_with_paper, statistics
from toplabel.seeds import seed_of

_DENSE_DENSITY = 0.1
_DENSE_NUMBERS = 20_000_000  # 160 MB of float64


def prepare(entry: Entry, raw_folder: str | os.PathLike[str]) -> Prepared:
    """Make a data set from its registry entry.

    Parameters
    ----------
    entry : Entry
    raw_folder : path-like
        ``data/raw``; what `fetch` left in its folder ``<set>``. Not looked at for embedded sets.

    Returns
    -------
    Prepared
        Validated; `meta` has title, protocol, features, published_key, options, raw (sum, size and
        address of each file), statistics and paper (see `compare_with_paper`).

    Raises
    ------
    ValueError
        One line: a missing raw file or one with another sum, a malformed file (file and line), a
        data set that `validate_prepared` refuses, or whose number of training rows contradicts the
        paper.
    """
    if not entry.is_readable:
        raise ValueError(f"data set '{entry.name}' waits for {entry.waits_for}")
    raw: dict[str, Any] = {}
    if entry.embedded is not None:
        loaded = load_embedded(entry.embedded, entry.options)
    else:
        loaded, raw = _load_files(entry, Path(raw_folder) / entry.folder)
    if entry.divide is not None:
        loaded = divide(entry.name, loaded, entry.divide)
    splits = list(entry.splits) or loaded.splits
    used = {part for split in splits for part in (split.train, split.val, split.test) if part}
    parts = {name: part for name, part in loaded.parts.items() if name in used}
    prepared = Prepared(
        name=entry.name,
        task=entry.task,
        n_classes=len(loaded.class_names),
        class_names=loaded.class_names,
        parts=store(parts, entry.storage),
        splits=splits,
        meta=_describe(entry, raw),
    )
    validate_prepared(prepared)
    measured = statistics(prepared)
    check_row_count(entry.name, measured, entry.statistics)
    paper = compare_with_paper(measured, entry.statistics)
    return replace(prepared, meta={**prepared.meta, "statistics": measured, "paper": paper})


def _describe(entry: Entry, raw: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": entry.title,
        "protocol": entry.protocol,
        "features": entry.features,
        "published_key": entry.published_key,
        "options": entry.options,
        "raw": raw,
    }


def _load_files(entry: Entry, folder: Path) -> tuple[Loaded, dict[str, Any]]:
    raw, parts, labels = {}, {}, None
    for file in entry.files:
        path = folder / file.name
        if not path.is_file():
            raise ValueError(f"data set '{entry.name}': {path} is missing; fetch it first")
        sha256, size = sha256_of(path)
        check_sum(file, sha256, size, str(path))
        raw[file.name] = {
            "sha256": sha256,
            "size": size,
            "url": file.url,
            "checked": file.sha256 is not None,
        }
        if file.part is not None:
            parts[file.part] = path
        elif file.role == "labels":
            labels = path
    source = Source(parts=parts, task=entry.task, labels=labels)
    return FORMATS[entry.format](source, **entry.options), raw


def divide(name: str, loaded: Loaded, how: Divide) -> Loaded:
    """Cut one part into several.

    The rows of each new part keep their order. A random or stratified division depends on the name
    of the data set alone; a stratified one gives each part its share of each class, to within a
    row.

    Raises
    ------
    ValueError
        When the numbers of rows do not add up, the shares exceed 1, or a stratified division is
        asked of a set without class indices.
    """
    where = f"data set '{name}', divide"
    whole = loaded.parts[how.part]
    if whole.groups is not None:
        raise ValueError(f"{where}: the part '{how.part}' has regions and cannot be cut")
    if how.method == "in_order":
        chosen = _in_order(where, how, whole.n_instances)
    else:
        chosen = _by_share(where, how, whole, seed_of(name, "divide"))
    parts = {key: part for key, part in loaded.parts.items() if key != how.part}
    for key, rows in chosen.items():
        parts[key] = Part(
            X=whole.X[rows],
            y=None if whole.y is None else whole.y[rows],
            Y=None if whole.Y is None else whole.Y[rows],
        )
    return replace(loaded, parts=parts)


def _in_order(where: str, how: Divide, n: int) -> dict[str, np.ndarray]:
    counts = list(how.into.values())
    if any(count != int(count) for count in counts) or sum(counts) != n:
        raise ValueError(f"{where}: the numbers of rows {counts} do not add up to {n}")
    ends = np.cumsum(counts).astype(int)
    starts = [0, *ends[:-1]]
    return {
        key: np.arange(start, end) for key, start, end in zip(how.into, starts, ends, strict=True)
    }


def _by_share(where: str, how: Divide, whole: Part, seed: int) -> dict[str, np.ndarray]:
    shares = np.array(list(how.into.values()))
    if shares.sum() > 1 + 1e-9:
        raise ValueError(f"{where}: the shares {shares.tolist()} exceed 1")
    if how.method == "stratified" and whole.y is None:
        raise ValueError(f"{where}: a stratified division needs classes; use random")
    strata = whole.y if how.method == "stratified" else np.zeros(whole.n_instances, dtype=int)
    rng = np.random.default_rng(seed)
    pieces: dict[str, list[np.ndarray]] = {key: [] for key in how.into}
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        ends = np.round(np.cumsum(shares) * len(rows)).astype(int)
        for key, piece in zip(how.into, np.split(rows, ends), strict=False):
            pieces[key].append(piece)
    return {key: np.sort(np.concatenate(rows)) for key, rows in pieces.items()}


def store(parts: dict[str, Part], storage: str) -> dict[str, Part]:
    """Choose dense or CSR features, the same for all parts, as float64.

    "auto" takes dense when the density exceeds 0.1 or every part has fewer than 2e7 numbers: then
    dense linear algebra is the faster one, and the memory is affordable.
    """
    if storage == "auto":
        sizes = [part.n_rows * part.n_features for part in parts.values()]
        filled = sum(_stored(part) for part in parts.values())
        affordable = max(sizes) < _DENSE_NUMBERS
        storage = "dense" if affordable or filled > _DENSE_DENSITY * sum(sizes) else "csr"
    convert = _dense if storage == "dense" else _csr
    return {name: replace(part, X=convert(part.X)) for name, part in parts.items()}


def _stored(part: Part) -> int:
    return part.X.nnz if sparse.issparse(part.X) else int(np.count_nonzero(part.X))


def _dense(X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
    X = X.toarray() if sparse.issparse(X) else X
    return np.ascontiguousarray(X, dtype=np.float64)


def _csr(X: np.ndarray | sparse.csr_matrix) -> sparse.csr_matrix:
    X = sparse.csr_matrix(X, dtype=np.float64)
    X.sum_duplicates()
    return X
