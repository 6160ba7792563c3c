"""A part that is published as one, cut into several, or into folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from toplabel.reproduction.config.entry import Divide, Split
from toplabel.reproduction.data.parts import Loaded, Part
from toplabel.reproduction.jobs import seed_of


def divide(name: str, loaded: Loaded, how: Divide) -> Loaded:
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


def cross_validated(name: str, loaded: Loaded, splits: Sequence[Split]) -> Loaded:
    """Cut the one part into folds: each split tests on one and trains on the others.

    Folds depend on `name` alone. They are stratified by class where rows have one label.
    """
    (whole,) = loaded.parts.values()
    if whole.groups is not None:
        raise ValueError(f"data set '{name}', folds: a part with regions cannot be cut")
    kind = KFold if whole.y is None else StratifiedKFold
    if whole.y is not None:
        _check_fewest(name, loaded, np.bincount(whole.y), len(splits))
    folds = kind(len(splits), shuffle=True, random_state=seed_of(name, "folds") % 2**32)
    labels = np.zeros(whole.n_instances) if whole.y is None else whole.y
    parts = {}
    for split, (train, test) in zip(splits, folds.split(labels, labels), strict=True):
        parts[split.train], parts[split.test] = _rows(whole, train), _rows(whole, test)
    return replace(loaded, parts=parts)


def _check_fewest(name: str, loaded: Loaded, counts: np.ndarray, folds: int) -> None:
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
