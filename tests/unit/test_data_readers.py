"""Readers of files: what is read, and what is refused in one line that names the file."""

import zipfile

import h5py
import numpy as np
import pytest
from scipy import io, sparse
from sklearn.datasets import dump_svmlight_file

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

X = np.array([[0.5, 0, -2], [1, 2, 3], [0, 0, 0], [4, 5, 6.25]])
CLASSES = np.array([7, -1, 7, 30])
SETS = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
XML = '<labels xmlns="m"><label name="sad &amp; slow"/><label name="happy"><label name="it\'s"/></label></labels>'
HEADER = """\
% a comment
@RELATION toy
@attribute height NUMERIC
@attribute 'it\\'s' {0,1}
@attribute "a colour" {0, 1}
@attribute happy {0,1}
@attribute width real
@attribute 'sad & slow' {'0','1'}
@data
"""
DENSE = HEADER + "0.5,1,0,0,-2e3,1\n\n% another\n'1.5', 0 ,1,1,0,0\n"
SPARSE = HEADER + "{0 0.5,1 1, 4 -2e3,5 1}\n{ 0 1.5, 2 1,3 1 }\n"
WORDS = """\
@relation toy
@attribute id string
@attribute smokes {NO,YES}
@attribute 'a, b' {red,'dark blue',"it's"}
@attribute height integer
@attribute happy {0,1}
@data
"""
ROWS = "'x, 1',YES,'dark blue',1.5,1\ny,NO,red,2,0\n\"z\",NO,\"it's\",3,1\n"
UCI = {"header": False, "label": -1}
DROPPED = {"task": "multilabel", "xml": None, "last_labels": 1, "drop": ("id",)}


@pytest.fixture
def read(tmp_path):
    """Read text (or bytes, or arrays by name) of one part, or of several, in a format."""

    def load(kind, content, task="multiclass", xml=XML, **options):
        is_parts = isinstance(content, dict) and "train" in content
        contents = content if is_parts else {"train": content}
        paths, labels = {}, None
        for part, one in contents.items():
            paths[part] = tmp_path / f"{part}.{kind}"
            write(paths[part], kind, one)
        if xml is not None:
            labels = tmp_path / "toy.xml"
            labels.write_text(xml)
        return FORMATS[kind](Source(paths, task, labels), **options)

    return load


def write(path, kind, content):
    if isinstance(content, dict) and kind == "npz":
        with path.open("wb") as stream:
            np.savez(stream, **content)
    elif isinstance(content, dict) and kind == "mat":
        io.savemat(path, content, appendmat=False)
    elif isinstance(content, dict):
        with h5py.File(path, "w") as stored:
            for name, array in content.items():
                stored[name] = array
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def dense(part):
    return part.X.toarray() if sparse.issparse(part.X) else np.asarray(part.X)


def names_of(loaded, part="train"):
    return [loaded.class_names[j] for j in loaded.parts[part].y]


# ---- LIBSVM text ---------------------------------------------------------------------------------


def test_libsvm_classes_of_all_parts(read):
    train = "3 1:0.5 4:-2e3\n\n-1 \n+3 2:1 # a remark\n"
    loaded = read("libsvm", {"train": train, "test": "7.0\t3:1e-5 \r\n"})
    assert loaded.class_names == ["-1", "3", "7"]
    assert names_of(loaded) == ["3", "-1", "3"]
    np.testing.assert_array_equal(
        dense(loaded.parts["train"]), [[0.5, 0, 0, -2e3], [0, 0, 0, 0], [0, 1, 0, 0]]
    )
    np.testing.assert_array_equal(dense(loaded.parts["test"]), [[0, 0, 1e-5, 0]])


def test_libsvm_label_sets(read):
    part = read("libsvm", "0,2 1:1\n 2:1\n1:3 2:4\n1\n", "multilabel").parts["train"]
    np.testing.assert_array_equal(part.Y, [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(dense(part), [[1, 0], [0, 1], [3, 4], [0, 0]])
    loaded = read("libsvm", {"train": "5 1:1\n4,7\n", "test": "10\n"}, "multilabel")
    assert loaded.class_names == ["4", "5", "7", "10"]
    np.testing.assert_array_equal(loaded.parts["train"].Y, [[0, 1, 0, 0], [1, 0, 1, 0]])


def test_libsvm_indices_may_begin_with_0(read, tmp_path):
    part = read("libsvm", "1 0:7 2:1\n2\n", n_features=5).parts["train"]
    np.testing.assert_array_equal(dense(part), [[7, 0, 1, 0, 0], [0, 0, 0, 0, 0]])
    dump_svmlight_file(X, CLASSES, str(tmp_path / "dumped"))
    loaded = FORMATS["libsvm"](Source({"train": tmp_path / "dumped"}, "multiclass"))
    np.testing.assert_array_equal(dense(loaded.parts["train"]), X)


def test_files_of_the_extreme_classification_repository(read):
    loaded = read("libsvm", "2 4 3\n0,2 0:1.5 3:1\n1 1:2\n", "multilabel")
    assert loaded.class_names == ["0", "1", "2"]
    np.testing.assert_array_equal(loaded.parts["train"].Y, [[1, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(dense(loaded.parts["train"]), [[1.5, 0, 0, 1], [0, 2, 0, 0]])
    with pytest.raises(FormatError, match=":3: "):
        read("libsvm", "2 4 3\n0,2 0:1.5 3:1\n1 1:x\n", "multilabel")


# ---- tables --------------------------------------------------------------------------------------


def test_a_table_with_its_class_last(read):
    loaded = read(
        "table", {"train": "0.5, -2e3,10.\r\n1,2,2\n\n3,4,10\n", "test": "7,8,2.0"}, **UCI
    )
    assert loaded.class_names == ["2", "10"]  # as numbers, not as text
    np.testing.assert_array_equal(loaded.parts["train"].X, [[0.5, -2000], [1, 2], [3, 4]])
    assert names_of(loaded) == ["10", "2", "10"]
    assert names_of(loaded, "test") == ["2"]


def test_a_table_with_another_delimiter_a_header_and_its_class_first(read):
    text = "class grey dark\n 6.0000  -1.0 0.5 \n5.0000\t1 \t2\n"
    loaded = read("table", text, delimiter="whitespace", label=0)
    assert loaded.class_names == ["5", "6"]
    np.testing.assert_array_equal(loaded.parts["train"].X, [[-1, 0.5], [1, 2]])
    assert read("table", "1;2;x\n3;4;y\n", delimiter=";", **UCI).class_names == ["x", "y"]


def test_delimiters_within_quotes_are_part_of_the_value(read):
    loaded = read("table", '"1","2.5","Paris, France"\n3,4,"z"\n', **UCI)
    assert loaded.class_names == ["Paris, France", "z"]
    np.testing.assert_array_equal(loaded.parts["train"].X, [[1, 2.5], [3, 4]])


def test_a_code_with_an_underscore_is_a_word(read):
    np.testing.assert_array_equal(
        read("table", "1_2,a\n12,b\n", **UCI).parts["train"].X, np.eye(2)[::-1]
    )


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (("250.0", "250.00", "word"), ["250.0", "250.00", "word"]),
        (("12e4", "120000", "word"), ["120000", "12e4", "word"]),
        (("0.5", "1.0", "1"), ["0.5", "1", "1.0"]),
        (("10", "9.", "9"), ["9", "10"]),
    ],
)
def test_classes_stay_as_written_unless_all_are_whole_numbers(read, labels, classes):
    assert read("table", "".join(f"1,{label}\n" for label in labels), **UCI).class_names == classes


# ---- ARFF ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_mulan_labels_are_found_by_name_and_ordered_as_in_the_xml(read, text):
    loaded = read("mulan_arff", text, "multilabel")
    assert loaded.class_names == ["sad & slow", "happy", "it's"]
    part = loaded.parts["train"]
    np.testing.assert_array_equal(part.Y, [[1, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(dense(part), [[0.5, 0, -2e3], [1.5, 1, 0]])


def test_words_become_numbers_and_attributes_are_dropped(read):
    part = read("mulan_arff", WORDS + ROWS, **DROPPED).parts["train"]
    np.testing.assert_array_equal(
        dense(part), [[1, 0, 1, 0, 1.5], [0, 1, 0, 0, 2], [0, 0, 0, 1, 3]]
    )
    np.testing.assert_array_equal(part.Y.ravel(), [1, 0, 1])
    rows = '{1 YES,3 1.5,4 1}\n{2 red}\n{0 "a, 3 b", 2 "it\'s"}\n{2 \'dark blue\'}\n'
    part = read("mulan_arff", WORDS + rows, **DROPPED).parts["train"]
    np.testing.assert_array_equal(
        dense(part), [[1, 1, 0, 0, 1.5], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    )


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ("{FALSE,TRUE}", "TRUE"),
        ("{no,yes}", "yes"),
        ("{Y,N}", "Y"),
        ("{-1,1}", "1"),
        ("{dead,alive}", "alive"),
        ("{+,-}", "+"),
    ],
)
def test_labels_of_two_words(read, values, row):
    other = values.strip("{}").replace(row, "", 1).strip(",") if row != "1" else "-1"
    text = f"@relation r\n@attribute a real\n@attribute b{values}\n@data\n1,{row}\n2,{other}\n"
    loaded = read("mulan_arff", text, "multilabel", xml=None, last_labels=1)
    np.testing.assert_array_equal(loaded.parts["train"].Y, [[1], [0]])


def test_a_label_that_the_xml_names_twice_is_refused(read):
    xml = '<labels xmlns="m"><label name="happy"/><label name="happy"/></labels>'
    with pytest.raises(FormatError, match=r"toy\.xml: the label 'happy' stands twice"):
        read("mulan_arff", DENSE, "multilabel", xml=xml)


def test_spellings_of_other_programs(read):
    text = (
        "@relation r\n@inputs a\n@attribute a INTEGER [0,9] % a range\n@attribute b {0,1}\n"
        "@data\n1.5\t1\n2\t0 % a comment\n"
    )
    part = read("mulan_arff", text, "multilabel", xml=None, last_labels=1).parts["train"]
    np.testing.assert_array_equal(dense(part), [[1.5], [2]])
    np.testing.assert_array_equal(part.Y, [[1], [0]])


# ---- arrays --------------------------------------------------------------------------------------

KINDS = ["mat", "npz", "hdf5"]


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_classes_and_label_sets(read, kind):
    loaded = read(kind, {"X": X.astype(np.float32), "y": CLASSES})
    part = loaded.parts["train"]
    assert loaded.class_names == ["-1", "7", "30"]
    assert (part.X.dtype, part.y.tolist()) == (np.float32, [1, 0, 1, 2])
    np.testing.assert_array_equal(part.X, X)
    part = read(kind, {"X": X, "Y": SETS.astype(float)}, "multilabel").parts["train"]
    np.testing.assert_array_equal(part.Y, SETS)
    assert (part.X.dtype, part.Y.dtype) == (np.float64, np.uint8)


@pytest.mark.parametrize("kind", KINDS)
def test_several_parts_in_a_file_share_their_classes(tmp_path, kind):
    arrays = {"train_data": X, "train_is": CLASSES, "test_data": X[:2], "test_is": [[30], [0]]}
    write(tmp_path / f"toy.{kind}", kind, arrays)
    source = Source(dict.fromkeys(("train", "test"), tmp_path / f"toy.{kind}"), "multiclass")
    loaded = FORMATS[kind](source, X="{part}_data", labels="{part}_is")
    assert loaded.class_names == ["-1", "0", "7", "30"]
    assert loaded.parts["test"].y.tolist() == [3, 1]


def test_matlab_files_sparse_transposed_and_of_version_7_3(read, tmp_path):
    arrays = {"X": sparse.csc_matrix(X.T), "Y": sparse.csc_matrix(SETS)}
    part = read("mat", arrays, "multilabel", transposed=True).parts["train"]
    np.testing.assert_array_equal(dense(part), X)
    np.testing.assert_array_equal(part.Y, SETS)
    path = tmp_path / "new.mat"
    with h5py.File(path, "w", userblock_size=512) as stored:
        stored["X"], stored["Y"] = X.T, SETS.T
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    part = FORMATS["mat"](Source({"train": path}, "multilabel")).parts["train"]
    np.testing.assert_array_equal(part.X, X)
    np.testing.assert_array_equal(part.Y, SETS)


def test_names_of_classes_in_an_npz_file(read):
    names = np.array(["a", "b", "c"])
    loaded = read("npz", {"X": X, "y": np.array([2, 0, 2, 0]), "class_names": names})
    assert (loaded.class_names, names_of(loaded)) == (["a", "c"], ["c", "a", "c", "a"])
    arrays = {"X": X, "Y": SETS, "class_names": names[:2]}
    assert read("npz", arrays, "multilabel").class_names == ["a", "b"]
    with pytest.raises(FormatError, match="3 names, but there are the classes -1 to 30"):
        read("npz", {"X": X, "y": CLASSES, "class_names": names})
    with pytest.raises(FormatError, match="the labels are words themselves: ash, elm"):
        read("npz", {"X": X, "y": np.array(["ash", "elm"] * 2), "class_names": names})


def test_sparse_features_and_label_sets_as_scipy_saves_them(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(X))
    source = Source({"all": tmp_path / "a.npz"}, "multilabel")
    with pytest.raises(FormatError, match=r"`files` does not name it: \{name: a_labels"):
        FORMATS["npz"](source)
    np.save(tmp_path / "a_labels.npy", SETS)
    for _ in range(2):
        part = FORMATS["npz"](source).parts["all"]
        np.testing.assert_array_equal(dense(part), X)
        np.testing.assert_array_equal(part.Y, SETS)
        sparse.save_npz(tmp_path / "a_labels.npz", sparse.csr_matrix(SETS))


@pytest.mark.parametrize("damaged", ["a.npz", "a_labels.npz"])
def test_a_sparse_matrix_that_leads_out_of_its_shape_is_refused(tmp_path, damaged):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(X))
    sparse.save_npz(tmp_path / "a_labels.npz", sparse.csr_matrix(SETS))
    with np.load(tmp_path / damaged) as stored:
        arrays = {**stored}
    arrays["indices"][0] = 999_999
    np.savez(tmp_path / damaged, **arrays)
    with pytest.raises(FormatError, match=rf"{damaged}: no .npz file, or a damaged one") as info:
        FORMATS["npz"](Source({"all": tmp_path / "a.npz"}, "multilabel"))
    assert "\n" not in str(info.value)


def test_features_in_a_file_are_mapped_into_memory(tmp_path):
    np.save(tmp_path / "f.npy", X)
    np.save(tmp_path / "f_labels.npy", CLASSES)
    source = Source({"train": tmp_path / "f.npy"}, "multiclass")
    assert isinstance(FORMATS["npy"](source).parts["train"].X, np.memmap)
    np.save(tmp_path / "f.npy", np.asfortranarray(X.astype(np.float16)))
    part = FORMATS["npy"](source).parts["train"]
    assert part.X.dtype == np.float32  # converted when it is read
    np.testing.assert_array_equal(part.X, X)
    with h5py.File(tmp_path / "f.h5", "w") as stored:
        stored["deep/X"], stored["y"] = X, CLASSES
        stored.create_dataset("packed", data=X, compression="gzip")
    source = Source({"train": tmp_path / "f.h5"}, "multiclass")
    mapped, packed = (
        FORMATS["hdf5"](source, X=name).parts["train"].X for name in ("deep/X", "packed")
    )
    assert isinstance(mapped, np.memmap)
    assert not isinstance(packed, np.memmap)
    np.testing.assert_array_equal(mapped, packed)


def test_idx_pairs(tmp_path):
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    head = b"\0\0\x08\x03" + np.array(images.shape, ">u4").tobytes()
    (tmp_path / "i").write_bytes(head + images.tobytes())
    (tmp_path / "l").write_bytes(b"\0\0\x08\x01\0\0\0\3\x09\x01\x09")
    source = Source({"train": tmp_path / "i"}, "multiclass")
    loaded = FORMATS["idx"](source, labels={"train": "l"})
    assert names_of(loaded) == ["9", "1", "9"]
    np.testing.assert_array_equal(loaded.parts["train"].X, images.reshape(3, 4))
    (tmp_path / "i").write_bytes(head + images.tobytes()[:-1])
    with pytest.raises(FormatError, match="header"):
        FORMATS["idx"](source, labels={"train": "l"})


# ---- what is refused -----------------------------------------------------------------------------

MULTILABEL = {"task": "multilabel"}
FAULTS = {
    "libsvm: cut in a pair": ("libsvm", "1 1:1\n2 1:0.5 2:", {}, "libsvm:2: "),
    "libsvm: no colon": ("libsvm", "1 1:1 2 3:1\n", {}, ":1: "),
    "libsvm: no label": ("libsvm", "1 1:1\n1:1 2:1\n", {}, ":2: "),
    "libsvm: word": ("libsvm", "1 1:1\ncat 1:1\n", {}, ":2: .*cat"),
    "libsvm: fraction": ("libsvm", "1 1:1\n1.5 1:1\n", {}, "row 1 .* 1.5, no whole number"),
    "libsvm: merged labels": ("libsvm", f"{2**53 + 2} 1:1\n0 1:1\n", {}, "53 bits"),
    "libsvm: descending": ("libsvm", "1 1:1\n1 3:1 2:1\n", {}, ":2: .*sorted"),
    "libsvm: repeated": ("libsvm", "1 1:1\n1 3:1 3:1\n", {}, ":2: .*unique"),
    "libsvm: large index": ("libsvm", "1 9:1\n", {"n_features": 8}, "indices 9 to 9 are not in 1..8|indices 1 to"),
    "libsvm: no labels": ("libsvm", " 1:1\n 2:1\n", MULTILABEL, "no row has a label"),
    "libsvm: fewer rows than stated": ("libsvm", "5 4 3\n0 1:1\n1 2:1\n", MULTILABEL, ":1: .* 2 follow"),
    "libsvm: sizes without sets": ("libsvm", "1 4 3\n0 1:1\n", {}, ":1: .*`task: multilabel`"),
    "libsvm: empty": ("libsvm", "# nothing\n\n", {}, "no row"),
    "table: commas": ("table", '"5,1",a\n"4",b\n', UCI, "'0' has numbers as '5,1'; `decimal: ','`"),
    "table: thousands": ("table", "1.234,5;a\n2;b\n", UCI | {"delimiter": ";"}, "as '1.234,5'"),
    "table: no column": ("table", "1,2\n", UCI | {"label": 2}, "no column '2'; it has: 0, 1"),
    "table: empty": ("table", "a,b\n", {"label": "b"}, "0 rows"),
    "table: spelled twice": ("table", "1,042\n1,0042\n", UCI, "'0042' and '042'"),
    "table: measurements": ("table", "".join(f"{i % 3},{i / 7:.4f}\n" for i in range(120)), UCI, "120 classes"),
    "table: parts": ("table", {"train": "1,2,a\n", "test": "1,2\n"}, UCI, "test.table: no column"),
    "arff: short row": ("mulan_arff", DENSE[:-4], MULTILABEL, "mulan_arff:13: "),
    "arff: cut sparse row": ("mulan_arff", SPARSE[:-3], MULTILABEL, ":11: "),
    "arff: cut header": ("mulan_arff", HEADER[:-6], MULTILABEL, "no @data line"),
    "arff: no rows": ("mulan_arff", HEADER, MULTILABEL, "no row"),
    "arff: row beside @data": ("mulan_arff", HEADER[:-1] + " 1,1\n", MULTILABEL, ":9: "),
    "arff: word": ("mulan_arff", HEADER + "x,1,1,1,1,1\n", MULTILABEL, ":10: "),
    "arff: blanks": ("mulan_arff", HEADER + "1,1 2,1,1,1,1\n", MULTILABEL, ":10: "),
    "arff: weight": ("mulan_arff", HEADER + "1,1,1,1,1,1,{5}\n", MULTILABEL, ":10: .*weight"),
    "arff: no 0 or 1": ("mulan_arff", HEADER + "1,1,1,3,1,1\n", MULTILABEL, "label 1 of row 0"),
    "arff: index": ("mulan_arff", HEADER + "{0 1}\n{6 1}\n", MULTILABEL, ":11: "),
    "arff: pair": ("mulan_arff", HEADER + "{2 1,3}\n", MULTILABEL, ":10: "),
    "arff: left out": ("mulan_arff", HEADER.replace("width real", "width {1,0}") + "{0 1}\n", MULTILABEL, "'width'"),
    "arff: text": ("mulan_arff", WORDS + ROWS, DROPPED | {"drop": ()}, ":2: .*`drop`"),
    "arff: not dropped": ("mulan_arff", WORDS + ROWS, DROPPED | {"drop": ("id", "idd")}, "'idd'"),
    "arff: not listed": ("mulan_arff", WORDS + "a,NO,green,1,1\n", DROPPED, ":8: .*green"),
    "arff: value twice": ("mulan_arff", WORDS.replace("NO,YES", "NO,NO"), DROPPED, ":3: "),
    "arff: no type": ("mulan_arff", HEADER.replace(" real", ""), MULTILABEL, ":7: "),
    "arff: twice": ("mulan_arff", HEADER.replace("width", "height"), MULTILABEL, ":7: .*twice"),
    "arff: no label": ("mulan_arff", HEADER.replace("happy", "jolly") + "1,1,1,1,1,1\n", MULTILABEL, "'happy'"),
    "arff: other parts": (
        "mulan_arff",
        {"train": DENSE, "test": DENSE.replace("width", "depth")},
        MULTILABEL,
        "test.mulan_arff: its attributes",
    ),
    "arff: XML": ("mulan_arff", DENSE, MULTILABEL | {"xml": XML[:-12]}, "toy.xml: no XML"),
    "arrays: no features": ("npz", {"Z": X, "y": CLASSES}, {}, "'X' is not in it.*Z"),
    "arrays: few labels": ("npz", {"X": X, "y": CLASSES[:3]}, {}, "3 labels for 4 rows"),
    "arrays: label sets": ("npz", {"X": X, "y": SETS}, {}, r"\(4, 2\)"),
    "arrays: fraction": ("npz", {"X": X, "y": CLASSES / 2}, {}, "row 0 .* 3.5"),
    "arrays: NaN": ("npz", {"X": X, "y": np.array([1, np.nan, 2, 3])}, {}, "row 1 .* nan"),
    "arrays: complex": ("npz", {"X": X * 1j, "y": CLASSES}, {}, "complex"),
    "arrays: cube": ("npz", {"X": np.zeros((2, 2, 2)), "y": CLASSES[:2]}, {}, r"\(2, 2, 2\)"),
    "arrays: not 0 or 1": ("npz", {"X": X, "Y": SETS * 2}, MULTILABEL, "label 1 of row 0"),
    "arrays: objects": ("npz", {"X": X, "y": np.array([{}, 1, 2, 3])}, {}, "Python objects"),
    "arrays: text": ("mat", {"X": np.array(["a", "b"]), "y": CLASSES[:2]}, {}, "train.mat: "),
    "bytes": ("mulan_arff", b"\xe9\n", MULTILABEL, ":1: not UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_what_does_not_fit_is_one_line_with_the_file(read, case):
    kind, content, options, message = FAULTS[case]
    with pytest.raises(FormatError, match=message) as caught:
        read(kind, content, **options)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700


def test_a_member_of_an_npz_file_that_is_no_array_is_named(tmp_path):
    path = tmp_path / "train.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"no array")
        archive.writestr("y.npy", b"no array")
    with pytest.raises(FormatError, match=r"train\.npz: 'X' is no array"):
        FORMATS["npz"](Source({"train": path}, "multiclass"))


@pytest.mark.parametrize("kind", [*KINDS, "idx"])
@pytest.mark.parametrize("damage", ["empty", "text", "half", "end"])
def test_damaged_files_are_told_in_one_line(tmp_path, kind, damage):
    path = tmp_path / "train"
    if kind in KINDS:
        write(path, kind, {"X": np.random.default_rng(0).random((40, 5)), "y": np.arange(40)})
        content = path.read_bytes()
        options = {}
    else:
        content, options = b"\0\0\x08\x02\0\0\0\2\0\0\0\2abcd", {"labels": {"train": "train"}}
    cut = {"empty": b"", "text": b"1,2\n" * 99, "half": content[: len(content) // 2]}
    path.write_bytes(cut.get(damage, content[:-20]))
    with pytest.raises(FormatError, match=str(path)) as caught:
        FORMATS[kind](Source({"train": path}, "multiclass"), **options)
    assert "\n" not in str(caught.value)


def test_hdf5_reads_no_other_file_and_no_number_that_was_never_written(tmp_path):
    (tmp_path / "outside").write_bytes(X.tobytes())
    with h5py.File(tmp_path / "other.h5", "w") as stored:
        stored["X"] = X
    with h5py.File(tmp_path / "toy.h5", "w") as stored:
        stored["y"] = CLASSES
        stored["link"] = h5py.ExternalLink("other.h5", "X")
        stored.create_dataset(
            "external", X.shape, "f8", external=[(str(tmp_path / "outside"), 0, 96)]
        )
        layout = h5py.VirtualLayout(X.shape, "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "X", X.shape)
        stored.create_virtual_dataset("virtual", layout)
        stored.create_dataset("unwritten", X.shape, "f8")
        stored.create_dataset("pieces", X.shape, "f8", chunks=(2, 3))[:2] = X[:2]
        stored.create_group("group")
    source = Source({"train": tmp_path / "toy.h5"}, "multiclass")
    for name in ("link", "external", "virtual", "unwritten", "pieces", "group"):
        with pytest.raises(FormatError, match=name):
            FORMATS["hdf5"](source, X=name)


WEKA = """\
@relation iris
@attribute width numeric
@attribute colour {red,'dark blue'}
@attribute class {setosa,virginica}
@data
0.5,red,setosa
1.5,'dark blue',virginica
2.5,red,virginica
"""


def test_arff_of_weka_has_one_class(read):
    loaded = read("mulan_arff", WEKA, xml=None)
    assert names_of(loaded) == ["setosa", "virginica", "virginica"]
    np.testing.assert_array_equal(dense(loaded.parts["train"]), [[0.5, 0], [1.5, 1], [2.5, 0]])
    loaded = read("mulan_arff", WEKA, xml=None, label="colour", drop=("class",))
    assert names_of(loaded) == ["red", "dark blue", "red"]
    assert read("mulan_arff", WEKA, xml=None, label=1).class_names == ["dark blue", "red"]


def test_values_that_are_not_finite_are_told_with_their_line(read):
    cases = {
        ":3: .*index 2 is inf": ("libsvm", "1 1:1\n# no row\n2 2:inf\n", {}),
        ":8: attribute 'width' has no value": (
            "mulan_arff",
            WEKA.replace("2.5,", "?,"),
            {"xml": None},
        ),
        "column 1 of row 2 .* nan": (
            "npz",
            {"X": np.where(X == 2, np.nan, X)[[0, 2, 1, 3]], "y": CLASSES},
            {},
        ),
    }
    for message, (kind, content, options) in cases.items():
        with pytest.raises(FormatError, match=message):
            read(kind, content, **options)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_libsvm_with_a_byte_order_mark(read, encoding):
    loaded = read("libsvm", "2 2 3\n0,2 0:1.5\n1 1:2\n".encode(encoding), "multilabel")
    np.testing.assert_array_equal(dense(loaded.parts["train"]), [[1.5, 0], [0, 2]])


# ---- tables with a header ------------------------------------------------------------------------

BIRDS = (
    'species,island,mass,"length, mm",sex\n'
    "Adelie,Torgersen,3750,39.1,M\n"
    '"Chinstrap, n.",Dream,3500,46.5,F\n'
    "Adelie,Dream,3800.5,39.5,F\n"
)


@pytest.fixture
def table(tmp_path):
    def load(text, task="multiclass", name="birds.csv", **options):
        texts = text if isinstance(text, dict) else {"all": text}
        paths = {part: tmp_path / f"{part}_{name}" for part in texts}
        for part, content in texts.items():
            paths[part].write_text(content, encoding="utf-8-sig")
        return FORMATS["table"](Source(paths, task), **options)

    return load


def test_a_table_with_words_numbers_and_a_class(table):
    loaded = table(BIRDS, label="species", drop=("sex",))
    assert loaded.class_names == ["Adelie", "Chinstrap, n."]
    assert names_of(loaded, "all") == ["Adelie", "Chinstrap, n.", "Adelie"]
    np.testing.assert_array_equal(
        loaded.parts["all"].X, [[3750, 39.1, 0, 1], [3500, 46.5, 1, 0], [3800.5, 39.5, 1, 0]]
    )
    text = BIRDS.replace('"length, mm"', "length").replace(",", "\t").replace(".", ",")
    other = table(text, name="birds.tsv", label="sex", drop=("species", "island"), decimal=",")
    assert other.parts["all"].X[2].tolist() == [3800.5, 39.5]


def test_parts_of_a_table_share_their_categories(table):
    head, *rows = BIRDS.splitlines(keepends=True)
    parts = {"train": head + rows[0] + rows[1], "test": head + rows[2]}
    loaded = table(parts, label="sex", drop=("species",))
    assert loaded.class_names == ["F", "M"]
    assert loaded.parts["train"].X.shape[1] == loaded.parts["test"].X.shape[1] == 4


@pytest.mark.parametrize("word", ["", "NA"])
def test_gaps_in_a_table(table, word):
    text = BIRDS.replace("3500", word)
    options = {"label": "species", "drop": ("island", "sex")}
    with pytest.raises(FormatError, match=r"'mass' \(1\).*`missing: median`"):
        table(text, **options)
    assert table(text, missing="drop", **options).parts["all"].n_rows == 2
    filled = table(text, missing="median", **options)
    assert (filled.fill, np.isnan(filled.parts["all"].X).sum()) == ("median", 1)
    with pytest.raises(FormatError, match=r"row 0 .* missing"):
        table(BIRDS.replace("Adelie", word), **options)


def test_label_sets_of_a_table_are_columns_or_lists_of_words(table):
    text = "a,big,red,words\n1,0,1,red; round\n2,1,1,\n3,0,0,round\n"
    loaded = table(text, "multilabel", labels=("red", "big"), drop=("words",))
    assert loaded.class_names == ["red", "big"]
    assert loaded.parts["all"].Y.tolist() == [[1, 0], [1, 1], [0, 0]]
    tags = {"column": "words", "separator": ";"}
    loaded = table(text, "multilabel", tags=tags, drop=("big", "red"))
    assert loaded.class_names == ["red", "round"]
    assert loaded.parts["all"].Y.tolist() == [[1, 1], [0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (BIRDS, {"label": "kind"}, "no column 'kind'; it has: species, island"),
        (BIRDS, {"label": "Specis"}, r"no column 'Specis' \(did you mean 'species'\?\); it has"),
        (
            "name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(60)),
            {"label": "y"},
            "csv:2: column 'name' has 60 different words, .*`drop: ",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table, text, options, message):
    with pytest.raises(FormatError, match=message) as caught:
        table(text, **options)
    assert "\n" not in str(caught.value)
