"""From raw files or a generator to the prepared form."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError, validate_call
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler, normalize

from toplabel.reproduction.config.documents import fault_of
from toplabel.reproduction.config.entry import Divide, RawFile, Split
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.checks import (
    advice,
    norm_advice,
    rounds_to,
    statistics,
    suspicions,
    validate_prepared,
)
from toplabel.reproduction.data.embedded import EMBEDDED
from toplabel.reproduction.data.fetch import check_only_copy, raw_path, read_raw
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source
from toplabel.reproduction.data.parts import Folds, LoadedSet, Part, PreparedSet, Rows, with_ones
from toplabel.reproduction.files import PathLike, file_sum
from toplabel.reproduction.jobs import seed_of

_DENSE_DENSITY = 0.2


def prepare(task: PrepareTask, raw_folder: PathLike) -> PreparedSet:
    """Make a data set of its raw files, in its folder in `raw_folder`, or by its generator.

    A ValueError of one line names a missing raw file or one with another sum, a malformed file, a data set
    that `validate_prepared` refuses, or one whose number of training rows contradicts the paper.
    """
    raw: dict[str, Any] = {}
    if task.embedded is not None:
        loaded = _with_options(task, EMBEDDED[task.embedded])
    else:
        loaded, raw = read_files(task, Path(raw_folder))
    splits = [*task.splits] or loaded.splits
    if task.folds is None:
        parts: Mapping[str, Part] = _made(task, loaded, splits)
    else:
        parts = cross_validated(task, loaded, splits, task.folds)
    names, columns = loaded.class_names, loaded.columns
    prepared = PreparedSet(task.name, task.task, names, parts, splits, columns=columns)
    validate_prepared(prepared)
    measured = statistics(prepared)
    _check_printed_rows(task, measured["n_train"])
    sentences = [norm_advice(measured, task.C)] if task.C else []
    if task.is_own:
        sentences += [*loaded.notes, *suspicions(loaded.columns, prepared), *advice(prepared)]
    meta = {
        "not_comparable": task.not_comparable,
        "raw": raw,
        "statistics": measured,
        "advice": [sentence for sentence in sentences if sentence],
        "columns": _named(loaded),
    }
    return replace(prepared, meta=meta)


def _made(task: PrepareTask, loaded: LoadedSet, splits: Sequence[Split]) -> dict[str, Part]:
    """Return the parts of some splits, without gaps, transformed and as they are stored."""
    where = f"data set '{task.name}'"
    used = {part for split in splits for part in (split.train, split.val, split.test) if part}
    parts = {name: part for name, part in loaded.parts.items() if name in used}
    if loaded.fill is not None:
        parts = _filled(where, loaded, parts, splits)
    if task.transform == "standardise":
        parts = store(parts)  # centred where they are dense
    if task.transform is not None:
        parts = transform(where, parts, splits, task.transform)
    if task.bias:
        parts = {name: replace(part, X=with_ones(part.X)) for name, part in parts.items()}
    return store(parts)


def _named(loaded: LoadedSet) -> dict[str, Any]:
    """Return the columns of a table by which `toplabel.load_model` reads a data frame."""
    return {
        "names": [column.name for column in loaded.columns if column.width],
        "categories": loaded.categories,
        "others": [column.name for column in loaded.columns if not column.width],
        "na_values": loaded.na_values,
    }


def _check_printed_rows(task: PrepareTask, n_train: int) -> None:
    """Refuse a set whose number of training rows is not the printed one, rounded."""
    for source, text in task.printed_rows.items():
        if not rounds_to(n_train, text):
            message = f"n_train is {n_train}, {source} prints {text}"
            raise ValueError(f"data set '{task.name}': {message}")


def read_files(task: PrepareTask, raw_folder: Path) -> tuple[LoadedSet, dict[str, Any]]:
    """Read the raw files of a set, and divide a part if need be; return what is known of each, too.

    Their sums are compared with the registry before anything is parsed. Compressed files are
    unpacked into a temporary folder. Features that are mapped into memory from there stay readable
    when it is gone.
    """
    raw = {}
    with tempfile.TemporaryDirectory(prefix="toplabel-raw-") as temporary:
        paths = {file.name: Path(temporary) / file.name for file in task.files}
        for file in task.files:
            raw[file.name] = _checked(task, file, raw_folder, paths[file.name])
        parts = {part: paths[file.name] for file in task.files for part in file.holds}
        labels = next((paths[file.name] for file in task.files if not file.holds), None)
        try:
            loaded = _with_options(task, FORMATS[task.format], Source(parts, task.task, labels))
        except FormatError as error:
            place = str(raw_folder / task.folder)
            raise ValueError(str(error).replace(temporary, place)) from None
    return (divide(task.folder, loaded, task.divide) if task.divide else loaded), raw


def _checked(task: PrepareTask, file: RawFile, raw_folder: Path, target: Path) -> dict[str, Any]:
    """Check a raw file and bring it uncompressed to `target`; return what is known of it."""
    path = raw_path(task.folder, file.name, raw_folder)
    if not path.is_file():
        raise ValueError(f"data set '{task.name}': {path} is missing")
    check_only_copy(file, path.parent)
    if task.sums.get(str(path)) not in (None, file_sum(path)):
        raise ValueError(f"{path}: changed since the run began; start it again")
    if path.name == file.name:
        target.symlink_to(path.resolve())
        sha256, size = read_raw(file, path)
    else:
        with target.open("wb") as stream:
            sha256, size = read_raw(file, path, stream.write)
    return {"sha256": sha256, "size": size, "url": file.url, "checked": file.sha256 is not None}


def _with_options(task: PrepareTask, make: Callable[..., LoadedSet], *source: Source) -> LoadedSet:
    """Call a reader or a generator with the options of a set, once they fit its arguments."""
    try:
        return validate_call(make)(*source, **task.options)
    except ValidationError as error:
        fault = fault_of(error, task.options).below("options")
        raise ValueError(f"data set '{task.name}': {fault}") from None


def store(parts: dict[str, Part]) -> dict[str, Part]:
    """Choose dense or CSR features, the same for all parts; float32 if all are, else float64.

    They are CSR up to a density of 0.2: there an epoch on CSR rows was 1.2 to 8 times faster than
    one in dense blocks, for 6 to 500 classes and 50 to 1500 features. A memory map stays one.
    """
    single = all(part.X.dtype == np.float32 for part in parts.values())
    dtype = np.float32 if single else np.float64
    convert = _dense if _is_dense([part.X for part in parts.values()]) else _csr
    return {name: replace(part, X=convert(part.X, dtype)) for name, part in parts.items()}


def _is_dense(matrices: Sequence[Rows]) -> bool:
    if any(isinstance(X, np.memmap) for X in matrices):
        return True
    stored = 0
    for X in matrices:
        stored += X.nnz if sparse.issparse(X) else int(np.count_nonzero(X))
    return stored > _DENSE_DENSITY * sum(X.shape[0] * X.shape[1] for X in matrices)


def _dense(X: Rows, dtype: type) -> np.ndarray:
    X = X.toarray() if sparse.issparse(X) else X  # a memory map stays one
    return X if X.dtype == dtype and X.flags.c_contiguous else np.ascontiguousarray(X, dtype=dtype)


def _csr(X: Rows, dtype: type) -> sparse.csr_matrix:
    X = sparse.csr_matrix(X if sparse.issparse(X) else np.asarray(X), dtype=dtype)
    X.sum_duplicates()
    return X


def transform(
    where: str, parts: Mapping[str, Part], splits: Sequence[Split], method: str
) -> dict[str, Part]:
    """Transform the parts of every split; the features become float64.

    - standardise: subtract the mean of the training rows from each column and divide by their
      standard deviation; sparse columns are divided only.
    - normalise: divide each row by its norm.

    To be standardised, splits that share a part must share their training part. `where` is the
    data set, for messages.
    """
    if method == "normalise":
        return {
            name: replace(part, X=normalize(part.X.astype(np.float64, copy=False)))
            for name, part in parts.items()
        }
    owner = _training_parts(where, splits, "to standardise it")
    scalers, transformed = {}, {}
    for train in set(owner.values()):
        X = parts[train].X.astype(np.float64, copy=False)
        scalers[train] = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
    for name, part in parts.items():
        X = scalers[owner[name]].transform(part.X.astype(np.float64, copy=False))
        transformed[name] = replace(part, X=X)
    for train, scaler in scalers.items():
        shift = scaler.mean_ if scaler.with_mean else np.zeros(scaler.n_features_in_)
        transformed[train] = replace(transformed[train], shift=shift, scale=scaler.scale_)
    return transformed


def _filled(
    where: str, loaded: LoadedSet, parts: Mapping[str, Part], splits: Sequence[Split]
) -> dict[str, Part]:
    """Fill the gaps in the columns of every split by the median or the mean of its training rows.

    Splits that share a part must share their training part.
    """
    owner = _training_parts(where, splits, "to fill its gaps")
    middle = np.nanmedian if loaded.fill == "median" else np.nanmean
    values = {}
    for train in dict.fromkeys(owner.values()):
        if (empty := np.flatnonzero(np.isnan(parts[train].X).all(axis=0))).size:
            names = [column.name for column in loaded.columns if column.width]  # numbers come first
            message = f"column {names[empty[0]]!r} has no value in it to fill gaps with"
            raise ValueError(f"{where}, part '{train}': {message}")
        values[train] = middle(parts[train].X, axis=0)
    return {
        name: replace(part, X=np.where(np.isnan(part.X), values[owner[name]], part.X))
        for name, part in parts.items()
    }


def _training_parts(where: str, splits: Sequence[Split], purpose: str) -> dict[str, str]:
    """Return the training part that each part is standardised or filled by."""
    owner: dict[str, str] = {}
    for split in splits:
        for name in filter(None, (split.train, split.val, split.test)):
            if owner.setdefault(name, split.train) != split.train:
                both = f"'{owner[name]}' and '{split.train}'; {purpose} there must be one"
                raise ValueError(f"{where}: the part '{name}' belongs to the training parts {both}")
    return owner


def divide(name: str, loaded: LoadedSet, how: Divide) -> LoadedSet:
    """Cut one part into several, whose rows keep their order.

    A random or stratified division depends on `name` alone, so that sets with one folder of raw
    files are divided alike; a stratified one gives each part its share of each class, to within a
    row.
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
    parts |= {key: _rows(whole, rows) for key, rows in chosen.items()}
    return replace(loaded, parts=parts)


def cross_validated(
    task: PrepareTask, loaded: LoadedSet, splits: Sequence[Split], count: int
) -> Mapping[str, Part]:
    """Cut the one part into so many folds, once or several times, one draw after the other.

    Each split tests on a fold and trains on the others of its draw. Folds depend on the folder of the
    set and the number of the draw alone. They are stratified by class where rows have one label. The
    parts of a split are made when they are asked for, so that memory holds those of one split.
    """
    name = task.folder
    (whole,) = loaded.parts.values()
    if whole.groups is not None:
        raise ValueError(f"data set '{name}', folds: a part with regions cannot be cut")
    kind = KFold if whole.y is None else StratifiedKFold
    if whole.y is not None:
        _check_fewest(name, loaded, np.bincount(whole.y), count)
    labels = np.zeros(whole.n_instances) if whole.y is None else whole.y

    def parts_of(split: Split) -> dict[str, Part]:
        draw, fold = divmod(splits.index(split), count)
        seed = seed_of(name, "folds", *([draw] if draw else [])) % 2**32
        folds = kind(count, shuffle=True, random_state=seed).split(labels, labels)
        train, test = next(islice(folds, fold, None))
        parts = {split.train: _rows(whole, train), split.test: _rows(whole, test)}
        return _made(task, replace(loaded, parts=parts), [split])

    return Folds(splits, parts_of)


def _check_fewest(name: str, loaded: LoadedSet, counts: np.ndarray, folds: int) -> None:
    """Refuse a class with fewer rows than there are folds."""
    fewest = int(counts.min())
    if fewest >= folds:
        return
    rare = loaded.class_names[int(counts.argmin())]
    more = f" (and {n - 1} others have too few)" if (n := int((counts < folds).sum())) > 1 else ""
    ways = [f"`folds: {fewest}`"] if fewest > 1 else []
    ways += ["leave the class out of the file", "use `divide`", "name a test part"]
    raise ValueError(
        f"data set '{name}', folds: {folds} folds need as many rows of each class, and the class "
        f"{rare!r} has {fewest}{more}; {', '.join(ways[:-1])}, or {ways[-1]}"
    )


def _rows(whole: Part, rows: np.ndarray) -> Part:
    cut = {
        key: values[rows]
        for key in ("y", "Y", "ids")
        if (values := getattr(whole, key)) is not None
    }
    numbers = rows if whole.rows is None else whole.rows[rows]
    return Part(whole.X[rows], rows=np.asarray(numbers, dtype=np.int64), **cut)


def _in_order(where: str, how: Divide, n: int) -> dict[str, np.ndarray]:
    counts = list(how.into.values())
    if any(count != int(count) for count in counts) or sum(counts) != n:
        raise ValueError(f"{where}: the numbers of rows {counts} do not add up to {n}")
    pieces = np.split(np.arange(n), np.cumsum(counts[:-1]).astype(int))
    return dict(zip(how.into, pieces, strict=True))


def _by_share(where: str, how: Divide, whole: Part, seed: int) -> dict[str, np.ndarray]:
    if how.method == "stratified" and whole.y is None:
        raise ValueError(f"{where}: a stratified division needs classes; use random")
    strata = whole.y if how.method == "stratified" else np.zeros(whole.n_instances, dtype=int)
    rng = np.random.default_rng(seed)
    pieces: dict[str, list[np.ndarray]] = {key: [] for key in how.into}
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        ends = np.round(np.cumsum([*how.into.values()]) * len(rows)).astype(int)
        for key, piece in zip(how.into, np.split(rows, ends[:-1]), strict=True):
            pieces[key].append(piece)
    return {key: np.sort(np.concatenate(rows)) for key, rows in pieces.items()}
