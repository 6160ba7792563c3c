"""YAML documents: what is refused, with file and line."""

import pytest
from jsonschema import Draft202012Validator

from toplabel.config.documents import read_yaml
from toplabel.config.reference import FILES, page, schema


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: 2\na: 3\n", r"x\.yaml:3: the key 'a' is given twice"),
        (b"a: {b: 1,\n b: 2}\n", r"x\.yaml:2: the key 'b' is given twice"),
        (b"a: [1\n", r"x\.yaml:2: "),
        (b"a: \xe4\n", r"x\.yaml: not UTF-8 \(byte 3\)$"),
        (b"a: 2026-13-45\n", r"x\.yaml: month must be in 1\.\.12$"),
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


def test_a_document_is_read(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: [1, {b: θ}]\n", encoding="utf-8")
    assert read_yaml(path) == {"a": [1, {"b": "θ"}]}


def test_keys_that_are_merged_give_way(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &m {k: 6, label: A}\nb: {<<: *m, k: 7}\n", encoding="utf-8")
    assert read_yaml(path)["b"] == {"k": 7, "label": "A"}


def test_the_page_of_the_keys_is_that_of_the_models(repository):
    text = (repository / "docs/config-reference.md").read_text(encoding="utf-8")
    assert text == page(), "make reference"


@pytest.mark.parametrize("name", FILES)
def test_the_models_allow_what_we_ship_and_describe_every_key(repository, name):
    validator = Draft202012Validator(schema(FILES[name]))
    for path in repository.glob(name):
        assert [error.message for error in validator.iter_errors(read_yaml(path))] == []
    for part in validator.schema.get("$defs", {}).values():
        assert part["additionalProperties"] is False
