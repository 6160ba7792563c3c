"""Features of networks: values, resumption, refusals; files that data sets are read from."""

import json
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_network import network

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.files import FileError
from toplabel.reproduction.networks.extraction import extract


def some_batches(n: int = 4):
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.randn(3, 3, 8, 8, generator=generator), torch.tensor([0, 1, 2])) for _ in range(n)
    ]


def killed_after(batches, n: int):
    yield from batches[:n]
    raise KeyboardInterrupt


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_features_are_the_layers_output(tmp_path):
    batches = some_batches()
    sidecar = extract(network(), "0", batches, tmp_path, "train", rectify=True)
    X = np.load(tmp_path / "train.npy", mmap_mode="r")
    assert isinstance(X, np.memmap)
    assert X.dtype == np.float32
    with torch.no_grad():
        expected = torch.cat([network()[:2](inputs).flatten(1) for inputs, _ in batches])
    np.testing.assert_allclose(X, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(np.load(tmp_path / "train_labels.npy"), [0, 1, 2] * 4)
    said = json.loads(sidecar.read_text(encoding="utf-8"))
    assert (said["rows"], said["width"], said["layer"]) == (12, 36, "0")
    assert set(content(tmp_path)) == {"train.json", "train.npy", "train_labels.npy"}


@pytest.mark.parametrize("indicator", [False, True])
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, indicator):
    batches = some_batches()
    if indicator:
        batches = [(x, torch.nn.functional.one_hot(y)) for x, y in batches]
    extract(network(), "3", batches, tmp_path / "whole", "train")
    folder = tmp_path / "killed"
    with pytest.raises(KeyboardInterrupt):
        extract(network(), "3", killed_after(batches, 2), folder, "train")
    with open(folder / "train.unfinished", "ab") as out:
        out.write(b"a part of the third batch")
    used = []
    model = network()
    model.register_forward_hook(lambda *_: used.append(1))
    extract(model, "3", batches, folder, "train")
    assert len(used) == 2
    assert content(folder) == content(tmp_path / "whole")


def test_unfinished_features_of_something_else_are_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        extract(network(), "3", killed_after(some_batches(), 2), tmp_path, "train")
    other = network()
    other[3].bias.data += 1.0
    with pytest.raises(FileError, match="of other weights"):
        extract(other, "3", some_batches(), tmp_path, "train")
    with pytest.raises(FileError, match="of other layer"):
        extract(network(), "0", some_batches(), tmp_path, "train")
    shuffled = some_batches()[::-1]
    with pytest.raises(FileError, match="of other inputs"):
        extract(network(), "3", shuffled, tmp_path, "train")
    with pytest.raises(FileError, match="of other inputs"):
        extract(network(), "3", some_batches(1), tmp_path, "train")


def test_misuse_is_told_in_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"layer must be a name .* got 'fc7'"):
        extract(network(), "fc7", some_batches(), tmp_path, "train")
    with pytest.raises(ValueError, match="at least one batch"):
        extract(network(), "3", [], tmp_path, "train")
    with pytest.raises(ValueError, match="batch 1 has 3 inputs, 2 labels"):
        extract(network(), "3", [(torch.zeros(3, 3, 8, 8), torch.zeros(2))], tmp_path, "train")


def test_from_images_to_a_data_set(tmp_path, repository):
    """The entry of docs/pytorch.md, on a tiny network."""
    for part, classes in (("train", [0, 1, 2]), ("test", [1, 2])):
        batches = [(torch.randn(len(classes), 3, 8, 8), torch.tensor(classes))] * 2
        extract(network(), "3", batches, tmp_path / "rooms", part)
    page = (repository / "docs/pytorch.md").read_text(encoding="utf-8")
    written = tmp_path / "datasets.yaml"
    entry = re.search(r"^      rooms:\n(?:        .*\n)+", page, re.MULTILINE)[0]
    written.write_text(f"datasets:\n{textwrap.indent(textwrap.dedent(entry), '  ')}")
    rooms = load_registry(written)["rooms"]
    parts = prepare(PrepareTask.of(rooms), tmp_path).parts
    assert {name: part.X.shape for name, part in parts.items()} == {"train": (6, 5), "test": (4, 5)}
    np.testing.assert_array_equal(parts["train"].y, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(parts["test"].y, [1, 2, 1, 2])
