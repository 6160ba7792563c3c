"""Readers of data and of models on files that coverage chooses: `python benchmarks/evidence/fuzz_readers.py FOLDER`.

Needs `pip install atheris`; the options are libFuzzer's (-max_total_time=600). An input is a byte for the
reader and the file, or with an array in a model or an npz file another byte for the array. A reader
returns, or refuses the file in one line that names it: anything else ends the run. Files of
MATLAB are left out: SciPy's reader of damaged ones ends in a segmentation fault.
"""

import io
import sys
import tempfile
import zipfile
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["toplabel.reproduction.data", "toplabel.estimators.loading"]
):
    import numpy as np

    from toplabel.estimators.loading import load_model
    from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/unit"))

from test_data_readers import DENSE, ROWS, SPARSE, UCI, WORDS, XML
from test_load_model_damaged import ARRAYS

ROOM = Path(tempfile.mkdtemp())
DATA = {"X": np.array([[0.5, 0.0, -2.0], [1.0, 2.0, 3.0]]), "y": np.array([7, -1])}
READERS = [
    ("libsvm", "multiclass", {}),
    ("libsvm", "multilabel", {}),
    ("mulan_arff", "multilabel", {}),
    ("mulan_arff", "multilabel", {"last_labels": 1, "drop": ("id",)}),
    ("table", "multiclass", UCI),
    ("table", "multiclass", {"delimiter": "whitespace", "label": 0}),
    ("npz", "multiclass", {}),
    ("npz", "multiclass", {"arrays": DATA}),
    ("model", "multiclass", {}),
    ("model", "multiclass", {"arrays": ARRAYS}),
]


def npy(array) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=(1, 0))
    return stream.getvalue()


def with_array(arrays, content: bytes) -> bytes:
    """Return an npz file in which one array, by the first byte, has the other bytes in its place."""
    stream = io.BytesIO()
    changed = content[0] % len(arrays) if content else 0
    with zipfile.ZipFile(stream, "w") as archive:
        for i, (name, array) in enumerate(arrays.items()):
            archive.writestr(f"{name}.npy", content[1:] if i == changed else npy(array))
    return stream.getvalue()


def test_one_input(data: bytes) -> None:
    if not data:
        return
    kind, task, options = READERS[data[0] % len(READERS)]
    options, content = dict(options), data[1:]
    if "arrays" in options:
        content = with_array(options.pop("arrays"), content)
    path, labels = ROOM / "train.file", ROOM / "labels.xml"
    path.write_bytes(content)
    labels.write_text(XML)
    try:
        if kind == "model":
            load_model(path)
        else:
            names = None if "last_labels" in options else labels
            FORMATS[kind](Source({"train": path}, task, names), **options)
    except (FormatError, ValueError) as error:
        line = str(error)
        if "\n" in line or path.name not in line:
            raise RuntimeError(f"{kind}: {line!r}") from error


def write_seeds(folder: Path) -> None:
    """Write one good file for each reader, and for each array of a model."""
    texts = ["3 1:0.5 4:-2e3\n\n-1 \n+3 2:1 # a remark\n", "0,2 1:1\n 2:1\n1:3 2:4\n1\n", DENSE]
    files = [text.encode() for text in [*texts, WORDS + ROWS, "0.5, -2e3,10.\r\n1,2,2\n"]]
    files += [b"class grey dark\n 6.0000  -1.0 0.5 \n5.0000\t1 \t2\n"]
    inputs = [(number, content) for number, content in enumerate(files)]
    inputs.append((2, SPARSE.encode()))
    for number, arrays in ((6, DATA), (8, ARRAYS)):
        members = [bytes([i]) + npy(array) for i, array in enumerate(arrays.values())]
        inputs.append((number, with_array(arrays, members[0])))
        inputs += [(number + 1, member) for member in members]
    for number, (reader, content) in enumerate(inputs):
        (folder / f"seed{number:02d}").write_bytes(bytes([reader]) + content)


if __name__ == "__main__":
    folder = Path(next(argument for argument in sys.argv[1:] if not argument.startswith("-")))
    folder.mkdir(parents=True, exist_ok=True)
    write_seeds(folder)
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
