"""The output of one layer for many batches, as the files that ``format: npy`` reads."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.checks import statistics, validate_prepared
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.files import FileError, atomic_path, file_sum, read_json
from toplabel.reproduction.networks import FeaturesTask
from toplabel.reproduction.networks.network import (
    build,
    class_names,
    draw_images,
    load_weights,
    scores,
)

_NOTHING = {"inputs_sha256": "", "batches": 0, "rows": 0, "width": 0, "sizes": [0, 0]}


def extract(
    network: nn.Module,
    layer: str,
    batches: Iterable[tuple[Tensor, Tensor]],
    folder: str | os.PathLike[str],
    part: str,
    *,
    rectify: bool = False,
    pool: int | None = None,
    step: int | Mapping[int, int] = 1,
    device: str = "cpu",
) -> Path:
    """Write a layer's output as ``<part>.npy`` (float32) and its labels as ``<part>_labels.npy``.

    A call that was killed goes on behind its last whole batch when it is made again with the same
    arguments. Unfinished files of other weights, inputs or options are a FileError.

    Parameters
    ----------
    network : Module
        Put into evaluation mode and moved to `device`.
    layer : str
        A name of ``network.named_modules()``, as "classifier.3"; "" is the network itself. Outputs
        are flattened.
    batches : iterable of (inputs, labels)
        In the same order each time. Labels are classes (n,) or an indicator (n, m), whole numbers.
    folder, part
        Where to write, as data/raw/indoor67 and "train".
    rectify : bool
        max{0, output}: for a layer without its ReLU.
    pool : int, optional
        Of a layer whose outputs are maps (n, d, height, width): average over windows of so many
        places in both directions, and write a row for each window, with the labels of its input.
    step : int or mapping
        Places between two windows, or that for each smaller side of the inputs, where not 1.

    Returns
    -------
    Path
        Of ``<part>.json``: layer, options, rows, width, and the SHA-256 of weights, inputs and files.
    """
    modules = dict(network.named_modules())
    if layer not in modules:
        raise ValueError(
            f"layer must be a name in network.named_modules(), as {list(modules)[-1]!r}, got {layer!r}"
        )
    network = network.to(device).eval()
    steps = {f"{side}": n for side, n in step.items()} if isinstance(step, Mapping) else step
    options = {"layer": layer, "rectify": rectify, "pool": pool, "step": steps}
    weights, seen = hashlib.sha256(), hashlib.sha256()
    for name, tensor in network.state_dict().items():
        _add(weights, name, tensor)
    files = _Files(Path(folder), part, options | {"weights_sha256": weights.hexdigest()})
    before, count = files.state["batches"], 0
    for count, (inputs, labels) in enumerate(batches, start=1):
        _add(seen, "inputs", inputs)
        _add(seen, "labels", labels)
        if count > before:
            maps = _output(network, modules[layer], inputs.to(device))
            if pool is not None:
                maps, labels = _windows(maps, labels, pool, step_at(min(inputs.shape[2:]), step))
            rows = (maps.clamp(min=0.0) if rectify else maps).flatten(1).cpu().numpy()
            if len(rows) != len(labels):
                raise ValueError(
                    f"batches: batch {count} has {len(inputs)} inputs, {len(labels)} labels and "
                    f"{len(rows)} outputs"
                )
            files.append(rows, labels.cpu().numpy(), seen.hexdigest())
        elif count == before and seen.hexdigest() != files.state["inputs_sha256"]:
            raise files.changed("inputs")
    if count < before:
        raise files.changed("inputs")
    if not count:
        raise ValueError("batches must hold at least one batch")
    return files.finish()


def step_at(side: int, step: int | Mapping[int, int]) -> int:
    """Return the step between windows of inputs of this smaller side."""
    return step.get(side, 1) if isinstance(step, Mapping) else step


def _output(network: nn.Module, module: nn.Module, inputs: Tensor) -> Tensor:
    """Return the output of a module of the network for a batch."""
    caught: list[Tensor] = []
    hook = module.register_forward_hook(lambda _module, _inputs, output: caught.append(output))
    try:
        with torch.inference_mode():
            network(inputs)
    finally:
        hook.remove()
    return caught[-1].float()


def _windows(maps: Tensor, labels: Tensor, side: int, step: int) -> tuple[Tensor, Tensor]:
    """Return means over the windows of maps, a row each, and the labels of these rows."""
    if maps.dim() != 4 or min(maps.shape[2:]) < side:
        raise ValueError(
            f"pool: windows of {side} x {side} places do not fit an output of shape {tuple(maps.shape)}"
        )
    means = functional.avg_pool2d(maps, side, step)
    each = means.shape[2] * means.shape[3]
    return means.permute(0, 2, 3, 1).flatten(0, 2), labels.repeat_interleave(each, dim=0)


def _add(total: Any, name: str, tensor: Tensor) -> None:
    """Add a tensor to a sum of hashlib."""
    total.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
    total.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())


class _Files:
    """The files of a part while they grow, and the state, written last, of what they hold."""

    def __init__(self, folder: Path, part: str, options: Mapping[str, Any]):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.part = folder, part
        self.path = folder / f"{part}.unfinished.json"
        self.state = dict(options) | _NOTHING
        self.growing = [folder / f"{name}.unfinished" for name in (part, f"{part}_labels")]
        if not self.path.exists():
            for path in self.growing:
                path.unlink(missing_ok=True)
            return
        self.state = read_json(self.path, [*self.state])
        for name, value in options.items():
            if self.state[name] != value:
                raise self.changed(name.removesuffix("_sha256"))
        for path, size in zip(self.growing, self.state["sizes"], strict=True):
            if not path.exists() or path.stat().st_size < size:
                raise FileError(
                    f"{path}: shorter than {self.path.name} says; remove both to begin again"
                )
            os.truncate(path, size)  # what was written behind the last whole batch goes

    def changed(self, what: str) -> FileError:
        """Return the error of unfinished files that are of something else."""
        return FileError(
            f"{self.path}: the unfinished features are of other {what}; remove the file to begin again"
        )

    def append(self, rows: np.ndarray, labels: np.ndarray, total: str) -> None:
        arrays = rows.astype("<f4", order="C"), labels.astype("<i8", order="C")
        for path, array in zip(self.growing, arrays, strict=True):
            with open(path, "ab") as out:
                if out.tell() == 0:
                    _write_header(out, array.dtype, (0, *array.shape[1:]))
                out.write(array.data)
        self.state["batches"] += 1
        self.state["rows"] += len(rows)
        sizes = [path.stat().st_size for path in self.growing]
        self.state |= {"width": rows.shape[1], "sizes": sizes, "inputs_sha256": total}
        _write(self.path, self.state)

    def finish(self) -> Path:
        sums = {}
        for path in self.growing:
            with open(path, "r+b") as file:
                np.lib.format.read_magic(file)
                shape, _, dtype = np.lib.format.read_array_header_1_0(file)
                file.seek(0)
                _write_header(file, dtype, (self.state["rows"], *shape[1:]))
            finished = path.with_suffix(".npy")
            os.replace(path, finished)
            sums[finished.name] = file_sum(finished)
        self.state.pop("sizes")  # which the files tell
        sidecar = self.folder / f"{self.part}.json"
        _write(sidecar, self.state | {"torch": torch.__version__, "sha256": sums})
        self.path.unlink()
        return sidecar


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(f"{json.dumps(content, indent=1)}\n", encoding="utf-8")


def _write_header(file: IO[bytes], dtype: np.dtype, shape: tuple[int, ...]) -> None:
    """Write the header of an .npy file; NumPy leaves room for the number of rows to grow, so its
    length does not depend on it.
    """
    about = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, about)


_NOT_COMPARABLE = "features of a small network of this project, on other data than the papers'"


def extract_features(
    images: PreparedSet, task: FeaturesTask, weights: Mapping[str, str | os.PathLike[str]]
) -> PreparedSet:
    """Return the features of the networks of all draws as a data set, a split each.

    They are the output of the last layer but one, after its ReLU. `weights` are the files of the
    networks by the draws.
    """
    torch.set_num_threads(1)
    parts: dict[str, Part] = {}
    for split, path in weights.items():
        both = draw_images(images, task.network, f"{task.dataset}/{split}", task.seed)
        model = build(task.network, both[0].inputs.shape[2:])
        load_weights(model, path)
        for role, part in zip(("train", "test"), both, strict=True):
            X = scores(model[:-1], part).astype(np.float32)
            parts[f"{split}_{role}"] = Part(X=X, y=part.classes.numpy())
    splits = [Split(split, f"{split}_train", None, f"{split}_test") for split in weights]
    names = class_names(images, task.network)
    prepared = PreparedSet(task.dataset, "multiclass", names, parts, splits)
    validate_prepared(prepared)
    meta = {"not_comparable": task.not_comparable or _NOT_COMPARABLE, "raw": {}, "advice": []}
    return replace(prepared, meta=meta | {"statistics": statistics(prepared)})
