"""What is written in a format comes back as the same numbers, whatever they are."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

finite = st.floats(allow_nan=False, allow_infinity=False)
matrices = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.one_of(st.just(0.0), finite),
)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), min_size=1
).filter(lambda name: name == name.strip())


def read(name, text, task, xml=None, **options):
    with tempfile.TemporaryDirectory() as folder:
        path, labels = Path(folder) / "part.txt", Path(folder) / "labels.xml"
        path.write_text(text, encoding="utf-8", newline="")
        if xml is not None:
            labels.write_text(xml, encoding="utf-8")
        return FORMATS[name](Source({"all": path}, task, labels), **options)


def libsvm_text(labels, X):
    rows = []
    for label, row in zip(labels, X, strict=True):
        pairs = "".join(f" {j + 1}:{float(row[j])!r}" for j in np.flatnonzero(row))
        rows.append(f"{label}{pairs}\n")
    return "".join(rows)


@settings(max_examples=40)
@given(data=st.data(), X=matrices)
def test_libsvm_multiclass_round_trip(data, X):
    X[0, -1] = 1.0  # the last column must occur, else its number is not known
    labels = data.draw(
        st.lists(st.integers(-1000, 1000), min_size=len(X), max_size=len(X)), label="labels"
    )
    loaded = read("libsvm", libsvm_text(labels, X), "multiclass")
    np.testing.assert_array_equal(loaded.parts["all"].X.toarray(), X)
    names = np.array(loaded.class_names, dtype=int)
    np.testing.assert_array_equal(names[loaded.parts["all"].y], labels)
    assert len(names) == len(set(labels))


def quoted(name):
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def xml_of(labels):
    escapes = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;"})
    inner = "".join(f'<label name="{name.translate(escapes)}"/>' for name in labels)
    return f"<labels>{inner}</labels>"


def sparse_row(row):
    return "{" + ",".join(f"{j} {value!r}" for j, value in enumerate(row) if value) + "}"


@settings(max_examples=25)
@given(data=st.data(), X=matrices, sparse=st.booleans())
def test_mulan_round_trip_with_labels_anywhere(data, X, sparse):
    n, d = X.shape
    m = data.draw(st.integers(1, 3), label="m")
    Y = data.draw(hnp.arrays(np.uint8, (n, m), elements=st.integers(0, 1)), label="Y")
    columns = data.draw(
        st.lists(names, min_size=d + m, max_size=d + m, unique=True), label="columns"
    )
    order = data.draw(st.permutations(range(d + m)), label="order")
    labels = columns[d:]
    header = "".join(
        f"@attribute {quoted(columns[j])} {'numeric' if j < d else '{0,1}'}\n" for j in order
    )
    table = np.column_stack([X, Y.astype(float)])[:, order]
    rows = [sparse_row(row) if sparse else ",".join(map(repr, row)) for row in table.tolist()]
    text = f"@relation toy\n{header}@data\n" + "\n".join(rows) + "\n"
    loaded = read("mulan_arff", text, "multilabel", xml_of(labels))
    assert loaded.class_names == labels
    in_file = [j for j in order if j < d]
    np.testing.assert_array_equal(loaded.parts["all"].X.toarray(), X[:, in_file])
    np.testing.assert_array_equal(loaded.parts["all"].Y, Y)


@settings(max_examples=100)
@given(text=st.text(st.sampled_from("12 :,-.en#\n\t@{}'%?x"), max_size=40))
def test_any_text_is_read_or_refused_in_one_line(text):
    header = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n"
    cases = [
        ("libsvm", text, "multiclass", None, {}),
        ("libsvm", text, "multilabel", None, {}),
        ("table", text, "multiclass", None, {"header": False, "label": -1}),
        ("mulan_arff", header + text, "multilabel", xml_of(["b"]), {}),
    ]
    for name, content, task, xml, options in cases:
        message, n = "", 0
        try:
            n = read(name, content, task, xml, **options).parts["all"].n_rows
        except FormatError as error:
            message = str(error)
        assert "\n" not in message
        assert bool(message) == (n == 0)


@settings(max_examples=40)
@given(data=st.data(), X=matrices)
def test_tables_round_trip(data, X):
    classes = st.lists(st.sampled_from(["1", "-3", "20"]), min_size=len(X), max_size=len(X))
    labels = data.draw(classes, label="labels")
    column = data.draw(st.sampled_from([0, -1]), label="column")
    rows = []
    for label, row in zip(labels, X.tolist(), strict=True):
        fields = [*map(repr, row)]
        rows.append(",".join([label, *fields] if column == 0 else [*fields, label]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.data"
        path.write_text("\n".join(rows))
        source = Source({"all": path}, "multiclass")
        loaded = FORMATS["table"](source, header=False, label=column)
    np.testing.assert_array_equal(loaded.parts["all"].X, X)
    assert [loaded.class_names[j] for j in loaded.parts["all"].y] == labels
    assert loaded.class_names == sorted(set(labels), key=int)
