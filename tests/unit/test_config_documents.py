"""YAML documents: what is refused, with file and line."""

import pytest

from toplabel.reproduction.config import documents
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.config.run import RunConfig

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: 2\na: 3\n", r"x\.yaml:3: the key 'a' is given twice"),
        (b"a: {b: 1,\n b: 2}\n", r"x\.yaml:2: the key 'b' is given twice"),
        (b"a: [1\n", r"x\.yaml:2: "),
        (b"a: \xe4\n", r"x\.yaml: not UTF-8 \(byte 3\)$"),
        (b"a: 2026-13-45\n", r"x\.yaml: month must be in 1\.\.12$"),
        (b"a: 1:" + b"59:" * 400 + b"59.0\n", r"x\.yaml: int too large"),
        (b"a:\n  ? [1, [2]]\n  : 3\n", r"x\.yaml:2: a key must be text, not a list or map"),
        (b"a: 1\ntrue: 2\n", r"x\.yaml:2: a key must be text, not 'true'$"),
        (b"a: {<<: {7: 2}}\n", r"x\.yaml:1: a key must be text, not '7'$"),
        (b"? !!str [a]\n: 1\n", r"x\.yaml:1: expected a scalar node"),
        (b"a: !!python/object/apply:os.getcwd []\n", r"x\.yaml:1: could not determine"),
        (b"a:\n " + b"[" * 10**5, r"x\.yaml:2: nested deeper than 50 levels$"),
        (b"{a: " * 10**5, r"x\.yaml:1: nested deeper than 50 levels$"),
        (b"a: &a [*a]\n", r"x\.yaml:1: more than 100,000 values"),
        (b"[" + b"1," * 10**5 + b"]", r"x\.yaml:1: more than 100,000 values"),
        (LAUGHS.encode(), r"x\.yaml:1: more than 100,000 values, aliases written out$"),
        (b"a: " + b"x" * 2**20, r"x\.yaml: larger than 1,048,576 bytes$"),
        (None, r"x\.yaml: no such file$"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    path = tmp_path / "x.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)


def test_a_long_key_is_cut_in_the_message(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text('"' + "(" * 900 + '\\e": 1\n')
    with pytest.raises(ValueError, match=r"x\.yaml: unknown key '") as caught:
        documents.check(read_yaml(path), RunConfig, str(path))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


def test_a_document_is_read(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: [1, {b: θ}]\n", encoding="utf-8")
    assert read_yaml(path) == {"a": [1, {"b": "θ"}]}


def test_keys_are_compared_once_each(tmp_path):
    class Counted(str):
        compared = 0

        def __eq__(self, other):
            type(self).compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    path = tmp_path / "x.yaml"
    path.write_text("".join(f"k{i}: 1\n" for i in range(1000)))
    loader = documents._Loader(path.read_text())
    loader.construct_scalar = lambda node: Counted(node.value)
    assert len(loader.get_single_data()) == 1000
    assert Counted.compared < 5000  # each with each would be half a million


def test_numbers_as_keys_are_refused_before_a_dict_is_made_of_them(tmp_path, monkeypatch):
    path = tmp_path / "x.yaml"
    path.write_text("".join(f"{i * (2**61 - 1)}: 1\n" for i in range(1, 3000)))  # all hash to 0
    monkeypatch.setattr(documents._Loader, "construct_object", None)
    with pytest.raises(ValueError, match="a key must be text, not '2305843009213693951'"):
        read_yaml(path)


def test_keys_that_are_merged_give_way(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &m {k: 6, label: A}\nb: {<<: *m, k: 7}\n", encoding="utf-8")
    assert read_yaml(path)["b"] == {"k": 7, "label": "A"}
