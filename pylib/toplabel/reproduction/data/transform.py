"""Scaled columns or rows of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler, normalize

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part, Rows


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
        return {name: replace(part, X=normalize(_float64(part.X))) for name, part in parts.items()}
    owner = _training_parts(where, splits)
    scalers = {train: _scaler(parts[train].X) for train in set(owner.values())}
    scaled = {name: scalers[owner[name]].transform(_float64(p.X)) for name, p in parts.items()}
    transformed = {name: replace(part, X=scaled[name]) for name, part in parts.items()}
    for name, scaler in scalers.items():
        shift = scaler.mean_ if scaler.with_mean else np.zeros(scaler.n_features_in_)
        transformed[name] = replace(transformed[name], shift=shift, scale=scaler.scale_)
    return transformed


def _scaler(X: Rows) -> StandardScaler:
    return StandardScaler(with_mean=not sparse.issparse(X)).fit(_float64(X))


def _training_parts(where: str, splits: Sequence[Split]) -> dict[str, str]:
    """Return the training part that each part is standardised by."""
    owner: dict[str, str] = {}
    for split in splits:
        for name in filter(None, (split.train, split.val, split.test)):
            if owner.setdefault(name, split.train) != split.train:
                both = f"'{owner[name]}' and '{split.train}'; to standardise it needs one"
                raise ValueError(f"{where}: the part '{name}' belongs to the training parts {both}")
    return owner


def _float64(X: Rows) -> Rows:
    return X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
