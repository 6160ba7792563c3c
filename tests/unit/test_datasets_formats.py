"""LIBSVM and Mulan files: what is read, and the errors."""

import numpy as np
import pytest

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source
from toplabel.reproduction.data.formats.arff import read_labels

XML = """\
<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sad &amp; slow"></label>
<label name="happy"><label name="it's"/></label>
</labels>
"""
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
SPARSE = HEADER + "{0 0.5,1 1, 4 -2e3,5 1}\n{ }\n{2 1,3 1}\n"


@pytest.fixture
def read(tmp_path):
    """Load one file (or several parts) of a format."""

    def load(name, text, task="multiclass", xml=XML, **options):
        texts = text if isinstance(text, dict) else {"train": text}
        paths = {}
        for part, content in texts.items():
            paths[part] = tmp_path / f"{part}.txt"
            paths[part].write_bytes(content if isinstance(content, bytes) else content.encode())
        labels = None
        if xml is not None:
            labels = tmp_path / "toy.xml"
            labels.write_text(xml)
        return FORMATS[name](Source(paths, task, labels), **options)

    return load


def dense(part):
    return part.X.toarray()


def test_libsvm_classes(read):
    loaded = read(
        "libsvm",
        {"train": "3 1:0.5 4:-2e3\n\n-1 \n+3 2:1 # a remark\n", "test": "7.0\t3:1e-5 \r\n"},
    )
    assert loaded.class_names == ["-1", "3", "7"]
    train, test = loaded.parts["train"], loaded.parts["test"]
    np.testing.assert_array_equal(train.y, [1, 0, 1])
    np.testing.assert_array_equal(test.y, [2])
    np.testing.assert_array_equal(dense(train), [[0.5, 0, 0, -2e3], [0, 0, 0, 0], [0, 1, 0, 0]])
    np.testing.assert_array_equal(dense(test), [[0, 0, 1e-5, 0]])
    assert train.y.dtype == np.int64


def test_libsvm_label_sets(read):
    text = "0,2 1:1\n 2:1\n1:3 2:4\n1\n"
    part = read("libsvm", text, task="multilabel").parts["train"]
    np.testing.assert_array_equal(part.Y, [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(dense(part), [[1, 0], [0, 1], [3, 4], [0, 0]])
    loaded = read("libsvm", "5 1:1\n4,7\n", task="multilabel", label_base=4, n_classes=5)
    assert loaded.class_names == ["4", "5", "6", "7", "8"]
    np.testing.assert_array_equal(loaded.parts["train"].Y, [[0, 1, 0, 0, 0], [1, 0, 0, 1, 0]])


def test_libsvm_labels_of_64_bits_stay_apart(read):
    text = f"{2**53} 1:1\n{2**53 + 1} 1:1\n{-(2**63)} 1:1\n{2**63 - 1} 1:1\n"
    loaded = read("libsvm", text)
    assert loaded.class_names == [*map(str, (-(2**63), 2**53, 2**53 + 1, 2**63 - 1))]
    np.testing.assert_array_equal(loaded.parts["train"].y, [1, 2, 0, 3])


def test_messages_stay_short_and_in_one_line(read):
    word = "x\u2028\x1b" * 10**5
    with pytest.raises(FormatError, match=r"train\.txt:1: ") as caught:
        read("mulan_arff", f"{word}\n", task="multilabel")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


def test_libsvm_options(read):
    part = read("libsvm", "1 0:7 2:1\n2\n", index_base=0, n_features=5).parts["train"]
    np.testing.assert_array_equal(dense(part), [[7, 0, 1, 0, 0], [0, 0, 0, 0, 0]])


LIBSVM_FAULTS = {
    "truncated": ("1 1:1\n2 1:0.5 2", {}, "2: expected index:value, found '2'"),
    "cut in a pair": ("1 1:1\n2 1:0.5 2:", {}, "2: expected index:value, found '2:'"),
    "no colon": ("1 1:1 2 3:1\n", {}, "1: expected index:value, found '2'"),
    "two colons": ("1 1:1:1\n", {}, "1: expected index:value, found '1:1:1'"),
    "shifted colon": ("1 2 3:4:5\n", {}, "1: expected index:value, found '2'"),
    "qid": ("1 qid:3 1:1\n", {}, "1: expected index:value, found 'qid:3'"),
    "no label": ("1 1:1\n1:1 2:1\n", {}, "2: expected a label before .*, found '1:1'"),
    "bad label": ("cat 1:1\n", {}, "1: bad label 'cat'"),
    "fractional label": ("1.5 1:1\n", {}, "1: bad label '1.5'"),
    "NaN": ("1 1:1\n1 1:nan\n", {}, "2: 'nan' is not finite"),
    "infinity": ("1 1:1\n1 1:-inf\n", {}, "2: '-inf' is not finite"),
    "overflow": ("1 1:1e999\n", {}, "1: '1e999' is not finite"),
    "word": ("1 1:one\n", {}, "1: 'one' is not a number"),
    "underscore": ("1 1:1_000\n", {}, "1: '1_000' is not a number"),
    "descending": ("1 1:1\n1 3:1 2:1\n", {}, "2: index 2 is not above the index before it"),
    "repeated": ("1 1:1\n1\n1 3:1 3:1\n", {}, "3: index 3 is not above the index before it"),
    "index 0": ("1 0:1\n", {}, "1: index 0 is below the first one, 1"),
    "index 0, d known": ("1 0:1\n", {"n_features": 8}, "1: index 0 is outside 1..8"),
    "large index": ("1 1:1\n1 9:1\n", {"n_features": 8}, "2: index 9 is outside 1..8"),
    "label set": ("1,x 1:1\n", {"task": "multilabel"}, "1: bad label 'x'"),
    "label twice": ("1,1 1:1\n", {"task": "multilabel"}, "1: a label occurs twice in '1,1'"),
    "label out of range": (
        "0 1:1\n3 1:1\n",
        {"task": "multilabel", "n_classes": 3},
        "2: label 3 is outside 0..2",
    ),
    "label below": (
        "0 1:1\n",
        {"task": "multilabel", "n_classes": 3, "label_base": 1},
        "1: label 0 is outside 1..3",
    ),
    "index beyond int": ("1 1:1\n1 2147483648:1\n", {}, "2: index 2147483648 is above the largest"),
    "index beyond 64 bits": (f"1 {10**20}:1\n", {"n_features": 8}, "1: index 1(0+) is above"),
    "label beyond 64 bits": (f"1 1:1\n{2**63} 1:1\n", {}, "2: bad label '9223372036854775808'"),
    "label of many digits": ("9" * 5000 + " 1:1\n", {}, r"1: bad label '9+\.\.\.9+'"),
    "label in digits of another script": ("١ 1:1\n", {}, "1: bad label '١'"),
    "index in digits of another script": ("1 ١:1\n", {}, "1: expected index:value, found '١:1'"),
    "value in digits of another script": ("1 1:١\n", {}, "1: '١' is not a number"),
    "vectors beyond memory": ("1 2147483647:1\n", {}, r" vectors up to .* 17,179,869,176 bytes"),
    "label sets beyond memory": (
        f"0 1:1\n{10**14} 1:1\n",
        {"task": "multilabel"},
        f" label sets up to the label {10**14}: .* bytes in memory, over 1000 times",
    ),
    "all labels below": (
        "1 1:1\n",
        {"task": "multilabel", "label_base": 5},
        "1: label 1 is outside 5..5",
    ),
    "bytes": (b"1 1:1\n\xff\xfe\n", {}, "not UTF-8 text"),
    "empty": ("# nothing\n\n", {}, " no row in it"),
    "no features": ("1\n2\n", {}, " no feature in any row"),
}


@pytest.mark.parametrize("case", LIBSVM_FAULTS)
def test_libsvm_faults_name_file_and_line(read, case):
    text, options, message = LIBSVM_FAULTS[case]
    with pytest.raises(FormatError, match=rf"train\.txt:.*{message}") as caught:
        read("libsvm", text, **options)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_first_label(read):
    assert read("libsvm", "\ufeff2 1:1\n1 1:3\n").class_names == ["1", "2"]


@pytest.mark.parametrize(("text", "extra_rows"), [(DENSE, [1]), (SPARSE, [1, 2])])
def test_mulan_labels_are_found_by_name_and_ordered_as_in_the_xml(read, text, extra_rows):
    loaded = read("mulan_arff", text, task="multilabel")
    assert loaded.class_names == ["sad & slow", "happy", "it's"]
    part = loaded.parts["train"]
    np.testing.assert_array_equal(part.Y[0], [1, 0, 1])
    np.testing.assert_array_equal(part.Y[-1], [0, 1, 0])
    np.testing.assert_array_equal(dense(part)[0], [0.5, 0, -2e3])  # height, a colour, width
    assert len(part.Y) == 1 + len(extra_rows)
    assert part.Y.dtype == np.uint8


def test_mulan_dense_and_sparse_files_of_the_same_rows_are_the_same(read):
    sparse_text = HEADER + "{0 0.5,1 1,4 -2e3,5 1}\n{0 1.5,2 1,3 1}\n"
    one = read("mulan_arff", DENSE, task="multilabel").parts["train"]
    two = read("mulan_arff", sparse_text, task="multilabel").parts["train"]
    np.testing.assert_array_equal(dense(one), dense(two))
    np.testing.assert_array_equal(one.Y, two.Y)


ARFF_FAULTS = {
    "truncated dense row": (DENSE[:-4], "14: 5 values for 6 attributes"),
    "truncated sparse row": (SPARSE[:-3], "13: a sparse row without its closing brace"),
    "truncated header": (
        HEADER[: HEADER.index("@attribute happy")],
        " no @data line; the file is truncated or no ARFF",
    ),
    "no rows": (HEADER, " no row after @data"),
    "no attributes": ("@relation a\n@data\n1\n", "2: @data without any @attribute before it"),
    "surplus": (HEADER + "1,1,1,1,1,1,1\n", "11: 7 values for 6 attributes"),
    "word": (HEADER + "x,1,1,1,1,1\n", "11: attribute 'height': 'x' is not a number"),
    "missing value": (
        HEADER + "1,1,1,1,1,1\n?,1,1,1,1,1\n",
        "12: attribute 'height': a missing value",
    ),
    "NaN": (HEADER + "nan,1,1,1,1,1\n", "11: attribute 'height': 'nan' is not finite"),
    "NaN in a sparse row": (HEADER + "{0 nan}\n", "11: attribute 'height': 'nan' is not finite"),
    "not listed": (HEADER + "1,1,2,1,1,1\n", "11: attribute 'a colour' is 2, not one of {0,1}"),
    "label not listed": (HEADER + "{3 -1}\n", "11: attribute 'happy' is -1, not one of {0,1}"),
    "zero not listed": (
        HEADER.replace('"a colour" {0, 1}', '"a colour" {1, 2}') + "1,1,2,1,1,1\n1,1,0,1,1,1\n",
        "12: attribute 'a colour' is 0, not one of {1,2}",
    ),
    "first value left out": (
        HEADER.replace("happy {0,1}", "happy {1,0}") + "{0 1}\n",
        "7: attribute 'happy': sparse rows leave out the first value, 1",
    ),
    "label not 0 or 1": (
        HEADER.replace("happy {0,1}", "happy numeric") + "1,1,1,3,1,1\n",
        "11: label 'happy' is 3, not 0 or 1",
    ),
    "sparse index beyond 64 bits": (
        HEADER + f"{{{10**20} 1}}\n",
        "11: index 1(0+) is outside 0..5",
    ),
    "sparse index": (HEADER + "{0 1}\n{6 1}\n", "12: index 6 is outside 0..5"),
    "sparse order": (HEADER + "{2 1,1 1}\n", "11: index 1 is not above the index before it"),
    "sparse repeat": (HEADER + "{2 1,2 1}\n", "11: index 2 is not above the index before it"),
    "sparse pair": (HEADER + "{2 1,3}\n", "11: malformed sparse row '{2 1,3}'"),
    "weight": (HEADER + "{2 1},{2}\n", "11: malformed sparse row"),
    "dense among sparse": (HEADER + "{2 1}\n1,1,1,1,1,1\n", "12: a dense row among sparse ones"),
    "sparse among dense": (HEADER + "1,1,1,1,1,1\n{2 1}\n", "12: a sparse row among dense ones"),
    "text": (HEADER.replace("NUMERIC", "string"), "4: attribute 'height' has the type 'string'"),
    "word not listed": (
        HEADER.replace("{0, 1}", "{red,blue}") + "1,1,red,1,1,1\n1,1,green,1,1,1\n",
        "12: attribute 'a colour' is 'green', not one of",
    ),
    "words of a label": (
        HEADER.replace("happy {0,1}", "happy {NO,YES}") + "1,1,1,YES,1,1\n",
        "7: label 'happy' has the values {NO,YES}, not 0 and 1",
    ),
    "value twice": (
        HEADER.replace("{0, 1}", "{NO,NO}"),
        "6: attribute 'a colour': the value 'NO' is listed 2 times",
    ),
    "open brace": (HEADER.replace("{0, 1}", "{0,1"), "6: attribute 'a colour': no closing brace"),
    "odd values": (HEADER.replace("{0, 1}", "{0 1}"), "6: attribute 'a colour': malformed values"),
    "no values": (HEADER.replace("{0, 1}", "{ }"), "6: attribute 'a colour': no values"),
    "open quote": (HEADER.replace('colour"', "colour"), "6: expected @attribute <name> <type>"),
    "no type": (HEADER.replace("width real", "width"), "8: expected @attribute <name> <type>"),
    "junk": ("PK\x03\x04 zip\n" + DENSE, "1: expected @attribute <name> <type>, found"),
    "attribute twice": (
        HEADER.replace("width", "height"),
        "8: attribute 'height' is already declared in line 4",
    ),
    "label missing": (
        HEADER.replace("happy", "jolly") + "1,1,1,1,1,1\n",
        " no attribute for the label 'happy' of the XML",
    ),
}


@pytest.mark.parametrize("case", ARFF_FAULTS)
def test_arff_faults_name_file_and_line(read, case):
    text, message = ARFF_FAULTS[case]
    with pytest.raises(FormatError, match=rf"train\.txt:.*{message}") as caught:
        read("mulan_arff", text, task="multilabel")
    assert "\n" not in str(caught.value)


WORDS = """\
@relation toy
@attribute id string
@attribute smokes {NO,YES}
@attribute 'a, b' {red,'dark blue',"it's"}
@attribute height numeric
@attribute happy {0,1}
@data
"""


def test_words_become_numbers_and_attributes_are_dropped(read):
    rows = "'x, 1',YES,'dark blue',1.5,1\ny,NO,red,2,0\n\"z\",NO,\"it's\",3,1\n"
    options = {"task": "multilabel", "xml": None, "last_labels": 1}
    part = read("mulan_arff", WORDS + rows, drop=["id"], **options).parts["train"]
    expected = [[1, 0, 1, 0, 1.5], [0, 1, 0, 0, 2], [0, 0, 0, 1, 3]]
    np.testing.assert_array_equal(dense(part), expected)
    np.testing.assert_array_equal(part.Y.ravel(), [1, 0, 1])
    with pytest.raises(FormatError, match=r"txt:2: attribute 'id' has the type .* option `drop`"):
        read("mulan_arff", WORDS + rows, **options)
    with pytest.raises(FormatError, match=r"no attribute 'idd', which `drop` names"):
        read("mulan_arff", WORDS + rows, drop=["id", "idd"], **options)
    other = WORDS.replace("NO,YES", "YES,NO") + rows
    with pytest.raises(FormatError, match=r"test\.txt:3: attribute 'smokes' has other values"):
        read("mulan_arff", {"train": WORDS + rows, "test": other}, drop=["id"], **options)


def test_sparse_rows_leave_out_the_first_word(read):
    rows = ("{1 YES,3 1.5,4 1}", "{2 red}", """{0 "a, 3 b", 2 "it's"}""", '{2 "dark blue"}')
    text = WORDS + "\n".join(rows)
    options = {"task": "multilabel", "xml": None, "last_labels": 1, "drop": ["id"]}
    part = read("mulan_arff", text, **options).parts["train"]
    expected = [[1, 1, 0, 0, 1.5], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
    np.testing.assert_array_equal(dense(part), expected)


def test_label_sets_from_1_must_say_so(read):
    text = "1,2 1:1\n3 2:1\n"
    for options in ({}, {"n_classes": 3}, {"n_classes": 4}):
        with pytest.raises(
            FormatError, match=r"no row has the label 0, the smallest is 1.*label_b"
        ):
            read("libsvm", text, task="multilabel", **options)
    assert read("libsvm", text, task="multilabel", label_base=1).class_names == ["1", "2", "3"]
    four = read("libsvm", text, task="multilabel", label_base=0)
    assert four.class_names == ["0", "1", "2", "3"]
    with pytest.raises(FormatError, match=r"train\.txt: no row has a label$"):
        read("libsvm", " 1:1\n 2:1\n", task="multilabel")


def test_parts_must_have_the_same_attributes(read):
    other = DENSE.replace("width", "depth")
    with pytest.raises(FormatError, match=r"test\.txt:8: attribute 'depth' where .* has 'width'"):
        read("mulan_arff", {"train": DENSE, "test": other}, task="multilabel")
    fewer = HEADER.replace("@attribute width real\n", "") + "1,1,1,1,1\n"
    with pytest.raises(FormatError, match=r"test\.txt: 5 attributes, but .* has 6"):
        read("mulan_arff", {"train": DENSE, "test": fewer}, task="multilabel")


def test_mulan_needs_labels_and_the_multilabel_task(read):
    with pytest.raises(ValueError, match="needs the XML file of the labels"):
        read("mulan_arff", DENSE, task="multilabel", xml=None)
    with pytest.raises(ValueError, match="holds multilabel sets, not multiclass ones"):
        read("mulan_arff", DENSE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (XML[:-12], r"toy\.xml:4: not XML"),
        (XML.replace("utf-8", "klingon"), r"toy\.xml: not XML \(unknown encoding: klingon\)$"),
        (XML.replace("utf-8", "utf-7"), r"toy\.xml: not XML \(multi-byte encodings"),
        ("<labels></labels>", r"toy\.xml: no <label> in it"),
        ('<labels><label id="a"/></labels>', r"toy\.xml: a <label> without a name"),
        ('<labels><label name="a"/><label name="a"/></labels>', "the label 'a' occurs 2 times"),
    ],
)
def test_label_files_that_cannot_be_used(tmp_path, text, message):
    path = tmp_path / "toy.xml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        read_labels(path)
    assert "\n" not in str(caught.value)
