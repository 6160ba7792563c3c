"""Text tables of the UCI repository: what is read, and the errors."""

import numpy as np
import pytest

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source


@pytest.fixture
def read(tmp_path):
    def load(text, task="multiclass", **options):
        texts = text if isinstance(text, dict) else {"train": text}
        paths = {part: tmp_path / f"{part}.data" for part in texts}
        for part, content in texts.items():
            paths[part].write_text(content, newline="")
        return FORMATS["uci_csv"](Source(paths, task), **options)

    return load


def test_the_class_stands_last(read):
    loaded = read({"train": "0.5, -2e3,10.\r\n1,2,2\n\n3,4,10\n", "test": "7,8,2.0"})
    assert loaded.class_names == ["2", "10"]  # as numbers, not as text
    np.testing.assert_array_equal(loaded.parts["train"].X, [[0.5, -2000], [1, 2], [3, 4]])
    np.testing.assert_array_equal(loaded.parts["train"].y, [1, 0, 1])
    np.testing.assert_array_equal(loaded.parts["test"].y, [0])
    assert loaded.parts["train"].y.dtype == np.int64


def test_the_class_stands_first_and_is_a_letter(read):
    loaded = read("T,2,8\nA,5,12\nT,4,11\n", label=0)
    assert loaded.class_names == ["A", "T"]
    np.testing.assert_array_equal(loaded.parts["train"].X, [[2, 8], [5, 12], [4, 11]])
    np.testing.assert_array_equal(loaded.parts["train"].y, [1, 0, 1])


def test_whitespace_and_a_header(read):
    text = "class grey dark\n 6.0000  -1.0 0.5 \n5.0000\t1 \t2\n"
    loaded = read(text, delimiter="whitespace", label=0, skip_lines=1)
    assert loaded.class_names == ["5", "6"]
    np.testing.assert_array_equal(loaded.parts["train"].X, [[-1, 0.5], [1, 2]])
    loaded = read("1;2;x\n3;4;y\n", delimiter=";")
    assert loaded.class_names == ["x", "y"]


def test_classes_of_many_digits_stay_apart(read):
    assert read(f"1,{2**53 + 1}\n2,{2**53}\n").class_names == [str(2**53), str(2**53 + 1)]
    assert read(f"1,{'9' * 5000}\n2,1\n").class_names == ["1", "9" * 5000]  # a word


def test_values_may_be_quoted(read):
    loaded = read('"1","2.5","x y"\n3,4,"z"\n')
    assert loaded.class_names == ["x y", "z"]
    np.testing.assert_array_equal(loaded.parts["train"].X, [[1, 2.5], [3, 4]])


def test_a_column_of_measurements_is_no_class(read):
    text = "".join(f"{i % 3},{i / 7:.4f}\n" for i in range(120))
    with pytest.raises(FormatError, match=r"train.data: 120 classes in column -1; .*\(`label`\)"):
        read(text)
    assert read(text, label=0).class_names == ["0", "1", "2"]


def test_classes_that_are_fractions_stay_as_written(read):
    assert read("1,0.5\n2,1.0\n").class_names == ["0.5", "1"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,2,a\n1,a\n", {}, "2: 2 values, but line 1 has 3"),
        ("1,2,a\n\n1,2,3,a\n", {}, "3: 4 values, but line 1 has 3"),
        ("1,2,a\n1,?,a\n", {}, "2: column 1: a missing value"),
        ("1,2,a\n1,,a\n", {}, "2: column 1: '' is not a number$"),
        ("1,2,a\n1,b,a\n", {}, "2: column 1: 'b' is not a number$"),
        ("1,nan,a\n", {}, "1: column 1: 'nan' is not finite"),
        ("1,inf,a\n", {}, "1: column 1: 'inf' is not finite"),
        ("1,2,nan\n", {}, "1: the class 'nan' is a number that is not finite; if it is a name"),
        ("-INF,2,3\n", {"label": 0}, "1: the class '-INF' is a number that is not finite"),
        ("1,2,1e999\n", {}, "1: the class '1e999' is a number that is not finite"),
        ("1,2,a\n1,2,\n", {}, "2: the class is missing"),
        ("1,2,?\n", {}, "1: the class is missing"),
        ("1 2 a\n", {}, "1: 1 values; there is no column -1 for the class beside features"),
        ("1,2\n", {"label": 2}, "1: 2 values; there is no column 2 for the class"),
        ("a,b,class\n1,2,x\n", {}, "1: column 0: 'a' is not a number; .* `skip_lines` .* header"),
        ("x,1,2\ny,1,2\n", {}, "1: column 0: 'x' is not a number; .* `label` is the column"),
        ("7,x,2\n", {"label": 0}, "1: column 1: 'x' is not a number"),
        ("1;2;a\n", {}, "1: 1 values; .*; is the option `delimiter` ';'"),
        ("1\t2\ta\n", {}, r"1: 1 values; .*; is the option `delimiter` '\\t'"),
        ("1 2 a\n", {}, "1: 1 values; .*; is the option `delimiter` 'whitespace'"),
        ("1,5;2,5;a\n", {}, "1: column 1: '5;2' is not .*; is the option `delimiter` ';'"),
        ("1,5;2;a\n", {"delimiter": ";"}, "1: column 0: '1,5' is not a number; decimals have a"),
        ("1,2,a\n", {"delimiter": "whitespace"}, "1: 1 values; .* `delimiter` ','"),
        ("\n \n", {}, " no row in it"),
        ("a,b\n", {"skip_lines": 1}, " no row in it"),
    ],
)
def test_faults_name_file_and_line(read, text, options, message):
    with pytest.raises(FormatError, match=rf"train\.data:.*{message}") as caught:
        read(text, **options)
    assert "\n" not in str(caught.value)


def test_parts_must_have_the_same_width(read):
    with pytest.raises(FormatError, match=r"test\.data: 1 features, but .*train\.data has 2"):
        read({"train": "1,2,a\n", "test": "1,a\n"})


def test_label_sets_are_refused(read):
    with pytest.raises(ValueError, match="one class per row, it holds no multilabel set"):
        read("1,2,a\n", task="multilabel")
