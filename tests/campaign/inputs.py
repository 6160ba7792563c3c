"""Damaged input files: is each of them read, or refused in one line?

    python tests/campaign/inputs.py              # 1000 files a reader
    python tests/campaign/inputs.py 20000 --seed 7 --only mat hdf5

Each file is a good one with one to three damages: flipped bits, bytes of another value, cut off,
pieces doubled, moved or taken out, huge numbers, deep nesting. It is read in a child process under
limits of memory and time. "refused" is a ``ValueError`` of one line that names a file; of these,
"crashed" counts those where a library ended the process that read it, which the workflow reports as
such a line. Anything else is a defect: it is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import lzma
import random
import re
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import io as scipy_io
from scipy import sparse

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.config.entry import Entry, LabelLists, RawFile
from toplabel.reproduction.data.child import ChildError, Limits, in_child
from toplabel.reproduction.data.fetch import fetch
from toplabel.reproduction.data.formats import FORMATS, Source, hdf5
from toplabel.reproduction.data.statistics import list_statistics

LIMITS = Limits(memory=2**30, seconds=20)  # the good files have some kilobytes
_LONGEST = 500  # characters of a message
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Case:
    """A kind of input.

    Attributes
    ----------
    write : callable
        Writes good files into a folder.
    read : callable
        Reads them there.
    protected : bool
        The workflow reads them in a child process too, so that a crash ends in one line.
    """

    write: Callable[[Path], None]
    read: Callable[[Path], Any]
    protected: bool = True


def _numbers() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 200, (12, 5)).astype(float), np.arange(12) % 3


X, y = _numbers()
Y = np.eye(3, dtype=np.uint8)[y]


def _format(
    name: str, file: str, task: str = "multiclass", xml: str = "", **options: Any
) -> Callable[[Path], None]:
    def read(folder: Path) -> None:
        source = Source({"all": folder / file}, task, folder / xml if xml else None)
        FORMATS[name](source, **options)

    return read


def _text(name: str, text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(text) and None


def _all(*writers: Callable[[Path], None]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for one in writers:
            one(folder)

    return write


def _libsvm(labels: list[str]) -> str:
    pairs = [" ".join(f"{j}:{v}" for j, v in enumerate(row, 1) if v) for row in X]
    return "".join(f"{label} {row}\n" for label, row in zip(labels, pairs, strict=True))


def _arff(is_sparse: bool) -> str:
    table = np.column_stack([X, Y]).tolist()
    header = "".join(f"@attribute f{j} numeric\n" for j in range(5))
    header += "".join(f"@attribute 'c{j}' {{0,1}}\n" for j in range(3))
    rows = [",".join(f"{v:g}" for v in row) for row in table]
    if is_sparse:
        pairs = [", ".join(f"{j} {v:g}" for j, v in enumerate(row) if v) for row in table]
        rows = [f"{{{row}}}" for row in pairs]
    return f"@relation toy\n{header}@data\n" + "\n".join(rows) + "\n"


_XML = "<?xml version='1.0' encoding='utf-8'?>\n<labels>{}</labels>\n".format(
    "".join(f'<label name="c{j}"></label>' for j in range(3))
)


def _mat(**how: Any) -> Callable[[Path], None]:
    is_sparse = how.pop("is_sparse", False)
    features = sparse.csc_matrix(X) if is_sparse else X
    return lambda folder: scipy_io.savemat(folder / "a.mat", {"X": features, "y": y}, **how)


def _hdf5(folder: Path) -> None:
    import h5py

    with h5py.File(folder / "a.h5", "w") as content:
        content["X"] = X
        content.create_dataset("Z", data=X, chunks=(4, 5), compression="gzip")
        content["y"] = y


def _idx(folder: Path) -> None:
    for name, array in (("images", X.reshape(12, 5, 1)), ("labels", y)):
        sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
        head = bytes([0, 0, 8, array.ndim]) + sizes
        (folder / name).write_bytes(head + array.astype(np.uint8).tobytes())


def _npy(folder: Path) -> None:
    np.save(folder / "a.npy", X)
    np.save(folder / "labels.npy", y)


def _regions(names: list[Any]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        image = np.arange(len(X)) % len(names)
        np.savez_compressed(folder / "a.npz", X=X, image=image, images=np.array(names))

    return write


def _tar(files: dict[str, str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        with tarfile.open(folder / "voc.tar", "w") as tar:
            for name, text in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text.encode()))

    return write


def _object(label: str, side: int) -> str:
    box = f"<xmin>1</xmin><ymin>1</ymin><xmax>{side}</xmax><ymax>{side}</ymax>"
    return f"<object><name>{label}</name><difficult>0</difficult><bndbox>{box}</bndbox></object>"


_ANNOTATIONS = {
    f"VOC/Annotations/{i}.xml": f"<annotation>{_object('cat', 9)}{_object('dog', i)}</annotation>"
    for i in range(3, 6)
}
_LISTS = {
    f"VOC/ImageSets/Main/{label}_{part}.txt": "".join(f"{i} {flag}\n" for i in "345")
    for label, flag in (("cat", 1), ("dog", -1))
    for part in ("train", "test")
}
_INSTANCES = json.dumps(
    {
        "images": [{"id": i} for i in (3, 4, 5)],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {"id": i, "image_id": 3 + i % 3, "category_id": 1 + i % 2, "bbox": [1, 2, 30.5, i]}
            for i in range(6)
        ],
    }
)


def _packed(suffix: str, compress: Callable[[bytes], bytes]) -> Case:
    def write(folder: Path) -> None:
        (folder / "toy").mkdir()
        (folder / "toy" / f"a.txt{suffix}").write_bytes(compress(b"1 1:1\n" * 500))

    def read(folder: Path) -> None:
        entry = Entry(
            name="toy",
            title="Toy",
            task="multiclass",
            protocol="multiclass",
            licence="",
            citation="",
            format="libsvm",
            files=(RawFile("a.txt", part="all"),),
        )
        fetch(entry, folder / "raw", [folder], network=False)

    return Case(write, read, protected=False)


def _registry(folder: Path) -> None:
    text = (_ROOT / "config/datasets.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^fold_seeds: .*\n", "", text)  # it names sets that are left out
    blocks = re.split(r"(?m)^(?=  [a-z0-9_]+:$)", text)
    alone = [block for block in blocks if "    network:" not in block]  # it names another set
    (folder / "a.yaml").write_text("".join(alone[:8]), encoding="utf-8")


CASES: dict[str, Case] = {
    "libsvm": Case(_text("a.txt", _libsvm([*map(str, y)])), _format("libsvm", "a.txt")),
    "libsvm_sets": Case(
        _text("a.txt", _libsvm([f"{j},{j + 2}" for j in y])),
        _format("libsvm", "a.txt", "multilabel"),
    ),
    "uci_csv": Case(
        _text("a.txt", "".join(f"{a:g},{b:g},c{j}\n" for (a, b, *_), j in zip(X, y, strict=True))),
        _format("uci_csv", "a.txt"),
    ),
    "arff": Case(
        _all(_text("a.arff", _arff(False)), _text("a.xml", _XML)),
        _format("mulan_arff", "a.arff", "multilabel", "a.xml"),
    ),
    "arff_sparse": Case(
        _all(_text("a.arff", _arff(True)), _text("a.xml", _XML)),
        _format("mulan_arff", "a.arff", "multilabel", "a.xml"),
    ),
    "idx": Case(_idx, _format("idx", "images", labels={"all": "labels"})),
    "mat": Case(_mat(), _format("mat", "a.mat")),
    "mat_compressed": Case(_mat(do_compression=True), _format("mat", "a.mat")),
    "mat_sparse": Case(_mat(is_sparse=True), _format("mat", "a.mat")),
    "mat_4": Case(_mat(format="4"), _format("mat", "a.mat")),
    "npz": Case(
        lambda folder: np.savez_compressed(folder / "a.npz", X=X, y=y), _format("npz", "a.npz")
    ),
    "npy": Case(_npy, _format("npy", "a.npy", labels={"all": "labels.npy"})),
    "hdf5": Case(_hdf5, _format("hdf5", "a.h5")),
    "hdf5_chunks": Case(_hdf5, _format("hdf5", "a.h5", X="Z")),
    "voc": Case(
        _all(_regions([3, 4, 5]), _tar(_ANNOTATIONS)),
        _format("voc", "a.npz", "multilabel", labels={"all": "voc.tar"}),
    ),
    "coco": Case(
        _all(_regions([3, 4, 5]), _text("a.json", _INSTANCES)),
        _format("coco", "a.npz", "multilabel", labels={"all": "a.json"}),
    ),
    "label_lists": Case(
        _tar(_LISTS),
        lambda folder: list_statistics(
            folder / "voc.tar", LabelLists("voc.tar", train="train", test="test")
        ),
        protected=False,
    ),
    "gz": _packed(".gz", gzip.compress),
    "xz": _packed(".xz", lzma.compress),
    "bz2": _packed(".bz2", bz2.compress),
    "yaml": Case(
        _registry,
        lambda folder: read_yaml(folder / "a.yaml"),
        protected=False,
    ),
    "registry": Case(_registry, lambda folder: load_registry(folder / "a.yaml"), protected=False),
}
if not hdf5.is_installed():
    CASES = {name: case for name, case in CASES.items() if not name.startswith("hdf5")}


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A copy with one to three damages."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        rng.choice(_DAMAGES)(data, rng)
    return bytes(data)


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(min(len(data), rng.choice((1, 4, 32)))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: random.Random) -> None:
    for _ in range(min(len(data), rng.choice((1, 4, 8)))):
        data[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _piece(data: bytearray, rng: random.Random) -> slice:
    start = rng.randrange(len(data) + 1)
    return slice(start, start + rng.choice((1, 8, 64, 512)))


def _double(data: bytearray, rng: random.Random) -> None:
    piece = _piece(data, rng)
    data[piece.start : piece.start] = data[piece] * rng.choice((1, 1, 100))


def _move(data: bytearray, rng: random.Random) -> None:
    piece = _piece(data, rng)
    moved = bytes(data[piece])
    del data[piece]
    place = rng.randrange(len(data) + 1)
    data[place:place] = moved


def _remove(data: bytearray, rng: random.Random) -> None:
    del data[_piece(data, rng)]


def _huge_text(data: bytearray, rng: random.Random) -> None:
    """A number that is written out becomes one that is too large, or none."""
    found = [*re.finditer(rb"-?[0-9]+(\.[0-9]*)?", data)]
    if found:
        huge = (2**31, 2**32 - 1, 2**63, 2**64, 10**30, 10**400, "9" * 5000, "1e308", "1e999")
        number = rng.choice((*huge, -1, 0, -(2**63) - 1, "nan", "-inf", "0x10", ""))
        place = rng.choice(found)
        data[place.start() : place.end()] = str(number).encode()


def _huge_binary(data: bytearray, rng: random.Random) -> None:
    """Four or eight bytes become a large or a negative number."""
    width, order = rng.choice((4, 8)), rng.choice(("little", "big"))
    bits = rng.choice((16, 24, 28, 31, 8 * width))
    start = rng.randrange(len(data) + 1) & ~3
    data[start : start + width] = (2**bits - rng.choice((1, 2, 8))).to_bytes(width, order)


def _nest(data: bytearray, rng: random.Random) -> None:
    place, times = rng.randrange(len(data) + 1), rng.choice((10, 2000, 100_000))
    data[place:place] = rng.choice((b"[", b"{", b'{"a":', b"<a>", b"(", b"- ", b"'")) * times


_DAMAGES = (
    *(_flip, _overwrite, _cut, _double, _move, _remove),
    *(_huge_text, _huge_binary, _huge_text, _huge_binary, _nest),
)


def outcome(case: Case, folder: Path) -> tuple[str, str]:
    """What becomes of the files in a folder.

    Returns
    -------
    kind : {"accepted", "refused", "crashed", "defect"}
    message : str
    """
    try:
        in_child(case.read, folder, limits=LIMITS)
    except ChildError as error:
        crashed = case.protected and "crashed" in str(error)
        return ("crashed" if crashed else "defect"), str(error)
    except ValueError as error:
        return _judged(str(error), folder), f"{type(error).__name__}: {error}"
    except Exception as error:
        notes = "".join(getattr(error, "__notes__", ()))
        return "defect", f"{type(error).__name__}: {error}\n{notes}"
    return "accepted", ""


def _judged(message: str, folder: Path) -> str:
    named = any(path.name in message for path in folder.rglob("*") if path.is_file())
    one_line = message.isprintable() and len(message) < _LONGEST + len(str(folder))
    return "refused" if named and one_line else "defect"


def attempt(name: str, seed: int, number: int) -> tuple[str, str]:
    """The outcome of one file of a case, which seed and number decide."""
    case, rng = CASES[name], random.Random(f"{name} {seed} {number}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        case.write(folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        path = rng.choice(files)
        path.write_bytes(damaged(path.read_bytes(), rng))
        return outcome(case, folder)


def main(arguments: list[str] | None = None) -> int:
    """Try the cases, print a table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=1000, help="files a reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=CASES, default=[*CASES])
    asked = parser.parse_args(arguments)
    kinds = ("accepted", "refused", "crashed", "defect")
    print(f"damaged files, seed {asked.seed}; limits: {LIMITS}")
    print(f"{'reader':<15} {'tried':>7}", *(f"{kind:>9}" for kind in kinds), "seconds")
    defects = 0
    for name in asked.only:
        start, counts = time.monotonic(), Counter()
        for number in range(asked.count):
            kind, message = attempt(name, asked.seed, number)
            counts[kind] += 1
            if kind == "defect":
                print(f"  {name}, file {number}: {message[:2000]}", file=sys.stderr)
        row = " ".join(f"{counts[kind]:>9}" for kind in kinds)
        print(f"{name:<15} {asked.count:>7} {row} {time.monotonic() - start:>7.0f}", flush=True)
        defects += counts["defect"]
    print(f"tried {asked.count * len(asked.only)}, faults {defects}")
    return int(defects > 0)


if __name__ == "__main__":
    sys.exit(main())
