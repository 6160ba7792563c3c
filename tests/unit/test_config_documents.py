"""YAML files: what is read, and what is refused in one line with file and line."""

import re

import pytest

from toplabel.reproduction.config.catalogue import RunConfig
from toplabel.reproduction.config.documents import Fault, check, read_yaml, validate
from toplabel.reproduction.config.methods import MethodsFile


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"a: 1\nb: 2\na: 3\n", ":3: the key 'a' is given twice"),
        (b"a: {b: 1,\n b: 2}\n", ":2: the key 'b' is given twice"),
        (b"a: [1\n", ":2: "),
        (b"a: \xe4\n", ": "),
        (b"a: 2026-13-45\n", ": month must be in 1..12"),
        (b"a:\n  ? [1, [2]]\n  : 3\n", ":2: "),
        (b"a: !!python/object/apply:os.getcwd []\n", ":1: "),
        (None, ": cannot be read (No such file"),
    ],
)
def test_what_is_refused(tmp_path, content, where):
    path = tmp_path / "x.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(f"{path}{where}")) as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)


def test_a_document_is_read_and_merged_keys_give_way(tmp_path):
    path = tmp_path / "x.yaml"
    text = "x: {a: &m {k: 6, label: θ}, b: &n {<<: *m, k: 7}}\nc: {<<: *n, k: 8}\n"
    path.write_text(text, encoding="utf-8")
    found = read_yaml(path)
    assert found["x"]["b"] == {"k": 7, "label": "θ"}
    assert found["c"] == {"k": 8, "label": "θ"}


def test_a_long_value_is_cut_in_the_message(tmp_path):
    with pytest.raises(ValueError, match="unknown key") as caught:
        check({"(" * 900 + "\n": 1}, RunConfig, "x.yaml")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"loss": "svm_mult"}, "svm_multi"),
        ({"loss": "zzz"}, "lr_ml"),
        ({"estimator": "RandomForestClassifier"}, "import path of a class"),
        ({"loss": "svm_multi", "features": "standardize"}, "standardise"),
    ],
)
def test_the_empty_form_of_a_key_is_not_proposed(row, said):
    with pytest.raises(Fault) as caught:
        validate({"methods": {"a": {"label": "A", **row}}}, MethodsFile)
    assert said in str(caught.value)
    assert "''" not in str(caught.value)
