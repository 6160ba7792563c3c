"""The output of one layer for many batches, as the files that ``format: npy`` reads."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.files import FileError, atomic_path, file_sum, read_json


@dataclass(frozen=True)
class Unfinished:
    """What the unfinished files hold, and of what: a later call goes on where these agree with its
    arguments.
    """

    layer: str
    rectify: bool
    normalise: bool
    weights_sha256: str
    inputs_sha256: str  # of the inputs and labels so far
    batches: int
    rows: int
    width: int
    label_width: int  # of an indicator; 0: classes


def extract(
    network: nn.Module,
    layer: str,
    batches: Iterable[tuple[Tensor, Tensor]],
    folder: str | os.PathLike[str],
    part: str,
    *,
    rectify: bool = False,
    normalise: bool = False,
    device: str = "cpu",
) -> Path:
    """Write a layer's output as ``<part>.npy`` (float32) and its labels as ``<part>_labels.npy``.

    A call that was killed goes on behind its last whole batch when it is made again with the same
    arguments.

    Parameters
    ----------
    network : Module
        Put into evaluation mode and moved to `device`.
    layer : str
        A name of ``network.named_modules()``, as "classifier.3". Outputs are flattened.
    batches : iterable of (inputs, labels)
        In the same order each time. Labels are classes (n,) or an indicator (n, m), whole numbers.
    folder : path
        Where to write, as data/raw/indoor67.
    part : str
        The part, as "train".
    rectify : bool
        max{0, output}: for a layer without its ReLU.
    normalise : bool
        Divide each row by its Euclidean norm; zero rows stay.
    device : str

    Returns
    -------
    Path
        Of ``<part>.json``, which says what the features are: layer, rows, width, and the SHA-256 of
        weights, inputs and both files.

    Raises
    ------
    ValueError
        If there is no such layer, or no batch, or a batch has other numbers of rows of features and
        labels.
    FileError
        If there are unfinished files of other weights, inputs or options.
    """
    modules = dict(network.named_modules())
    if layer not in modules:
        raise ValueError(
            f"layer must be a name in network.named_modules(), as {list(modules)[-1]!r}, got {layer!r}"
        )
    network = network.to(device).eval()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = _Files(folder, part)
    before = files.progress()
    now = Unfinished(layer, rectify, normalise, _sum_of_weights(network), "", 0, 0, 0, 0)
    if before is not None:
        _check_same(before, now, files.state)
        files.cut(before)
    for inputs, labels in batches:
        now = replace(
            now,
            inputs_sha256=_sum_of_batch(now.inputs_sha256, inputs, labels),
            batches=now.batches + 1,
            rows=now.rows + len(inputs),
            label_width=labels.shape[1] if labels.dim() == 2 else 0,
        )
        if before is not None and now.batches <= before.batches:
            now = replace(now, width=before.width)
            if now.batches == before.batches and now != before:
                raise FileError(_changed(files.state, "inputs"))
            continue
        features = _features(network, modules[layer], inputs.to(device), rectify, normalise)
        if not len(features) == len(inputs) == len(labels):
            raise ValueError(
                f"batches: batch {now.batches} has {len(inputs)} inputs, {len(labels)} labels and "
                f"{len(features)} outputs"
            )
        now = replace(now, width=features.shape[1])
        files.append(features, labels.cpu().numpy(), now)
    if before is not None and now.batches < before.batches:
        raise FileError(_changed(files.state, "inputs"))
    if now.batches == 0:
        raise ValueError("batches must hold at least one batch")
    return files.finish(now)


def _features(
    network: nn.Module, module: nn.Module, inputs: Tensor, rectify: bool, normalise: bool
) -> np.ndarray:
    """Return the rows of a batch."""
    caught: list[Tensor] = []
    hook = module.register_forward_hook(lambda _module, _inputs, output: caught.append(output))
    try:
        with torch.inference_mode():
            network(inputs)
    finally:
        hook.remove()
    rows = caught[-1].flatten(1).float()
    if rectify:
        rows = rows.clamp(min=0.0)
    if normalise:
        norms = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
        rows = rows / torch.where(norms > 0, norms, 1.0)
    return rows.cpu().numpy()


def _sum_of_weights(network: nn.Module) -> str:
    total = hashlib.sha256()
    for name, tensor in network.state_dict().items():
        total.update(name.encode())
        total.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return total.hexdigest()


def _sum_of_batch(before: str, inputs: Tensor, labels: Tensor) -> str:
    """Chained, so that it can be taken up again."""
    total = hashlib.sha256(before.encode())
    for tensor in (inputs, labels):
        total.update(f"{tuple(tensor.shape)} {tensor.dtype}".encode())
        total.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return total.hexdigest()


def _check_same(before: Unfinished, now: Unfinished, state: Path) -> None:
    for name in ("layer", "rectify", "normalise", "weights_sha256"):
        if getattr(before, name) != getattr(now, name):
            raise FileError(_changed(state, name.removesuffix("_sha256")))


def _changed(state: Path, what: str) -> str:
    return f"{state}: the unfinished features are of other {what}; remove the file to begin again"


class _Files:
    """The files of a part while they grow: rows without a header, and the state, which is written
    last.
    """

    def __init__(self, folder: Path, part: str):
        self.folder, self.part = folder, part
        self.state = folder / f"{part}.unfinished.json"
        self.rows = folder / f"{part}.unfinished"
        self.labels = folder / f"{part}_labels.unfinished"

    def progress(self) -> Unfinished | None:
        if not self.state.exists():
            self.rows.unlink(missing_ok=True)
            self.labels.unlink(missing_ok=True)
            return None
        names = [field.name for field in fields(Unfinished)]
        content = read_json(self.state, names)
        return Unfinished(**{name: content[name] for name in names})

    def cut(self, progress: Unfinished) -> None:
        """Take away what was written behind the last whole batch."""
        header = len(_header((0, progress.width), "<f4"))
        sizes = {
            self.rows: header + 4 * progress.rows * progress.width,
            self.labels: 8 * progress.rows * max(1, progress.label_width),
        }
        for path, size in sizes.items():
            if not path.exists() or path.stat().st_size < size:
                raise FileError(
                    f"{path}: shorter than {self.state.name} says; remove both to begin again"
                )
            os.truncate(path, size)

    def append(self, features: np.ndarray, labels: np.ndarray, now: Unfinished) -> None:
        with open(self.rows, "ab") as out:
            if out.tell() == 0:
                out.write(_header((0, now.width), "<f4"))
            out.write(np.ascontiguousarray(features, "<f4"))
        with open(self.labels, "ab") as out:
            out.write(np.ascontiguousarray(labels, "<i8"))
        _write(self.state, asdict(now))

    def finish(self, now: Unfinished) -> Path:
        with open(self.rows, "r+b") as out:
            out.write(_header((now.rows, now.width), "<f4"))
        shape = (now.rows, now.label_width) if now.label_width else now.rows
        labels = np.fromfile(self.labels, "<i8").reshape(shape)
        features = self.folder / f"{self.part}.npy"
        label_file = self.folder / f"{self.part}_labels.npy"
        with atomic_path(label_file) as temporary:
            np.save(temporary, labels)
        os.replace(self.rows, features)
        sidecar = self.folder / f"{self.part}.json"
        content = asdict(now) | {"torch": torch.__version__}
        content["sha256"] = {path.name: file_sum(path) for path in (features, label_file)}
        _write(sidecar, content)
        self.state.unlink()
        self.labels.unlink()
        return sidecar


def _write(path: Path, content: dict) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(f"{json.dumps(content, indent=1)}\n", encoding="utf-8")


def _header(shape: tuple[int, int], dtype: str) -> bytes:
    """Return the header of an .npy file; NumPy leaves room for the number of rows to grow, so its
    length does not depend on it.
    """
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return out.getvalue()
