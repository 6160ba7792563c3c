"""The registry: what it refuses, and that the one of the checkout agrees with the other config
files.
"""

import csv
import textwrap
from dataclasses import replace
from typing import get_args

import pytest
import yaml

from toplabel.reproduction.config.catalogue import _lacking, load_catalogue
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.entry import Format, Generator
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.data.embedded import EMBEDDED
from toplabel.reproduction.data.formats import FORMATS

GOOD = """\
datasets:
  toy:
    title: Toy
    task: multilabel
    protocol: multilabel
    format: mulan_arff
    files:
      - {name: a.arff, part: train}
      - {name: b.arff, part: test, size: 3}
      - {name: toy.xml}
    splits:
      - {name: main, train: train, test: test}
    licence: none
    citation: none
"""


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        path = tmp_path / "datasets.yaml"
        path.write_text(textwrap.dedent(text))
        return load_registry(path)

    return load_text


def test_formats_and_generators_are_those_of_the_code():
    assert list(FORMATS) == list(get_args(Format))
    assert list(EMBEDDED) == list(get_args(Generator))


def test_every_published_set_is_registered(repository, registry):
    keys = {entry.published_key for entry in registry.values()}
    seen = set()
    for path in (repository / "data/published").glob("*.csv"):
        with path.open() as stream:
            seen |= {row["dataset"] for row in csv.DictReader(stream) if "dataset" in row}
    assert seen
    assert seen <= keys


def test_sets_of_one_published_key_and_features_are_of_different_papers(registry):
    """Else a result on raw features would stand beside numbers for scaled ones."""
    papers = ("tpami2017", "nips2015", "cvpr2016", "nips2012")
    places = [
        (paper, entry.published_key, entry.features)
        for entry in registry.values()
        for paper in papers
        if entry.is_in(paper) and not entry.not_comparable
    ]
    assert len(places) == len(set(places))
    assert registry["letter_raw"].published_sources == ("nips2012",)
    assert not registry["letter"].is_in("nips2012")


def test_printed_statistics_are_those_of_the_published_table(repository, registry):
    columns = {
        "m": "n_classes",
        "n_train": "n_train",
        "d": "n_features",
        "label_cardinality": "label_cardinality",
    }
    with (repository / "data/published/datasets.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    by_place = {(row["dataset"], row["source"]): row for row in rows}
    assert len(by_place) == len(rows)
    compared = set()
    for entry in registry.values():  # several may be one set of the papers with other features
        for printed in entry.statistics:
            row = by_place[entry.published_key, printed.source]
            compared.add((row["dataset"], row["source"]))
            assert entry.task == row["task"]
            for column, field in columns.items():
                assert (getattr(printed, field) or "") == row[column]
    assert compared == set(by_place)


def test_an_unknown_name_proposes_the_nearest(registry):
    with pytest.raises(ValueError, match=r"unknown data set 'yeats'; did you mean yeast\?"):
        registry["yeats"]
    assert "yeats" not in registry
    assert registry.get("yeast").title == "Yeast"


def test_defaults(load):
    entry = load(GOOD)["toy"]
    assert (entry.folder, entry.published_key) == ("toy", "toy")
    assert entry.splits[0].val is None
    splits = "    splits:\n      - {name: main, train: train, test: test}\n"
    assert load(GOOD.replace(splits, ""))["toy"] == entry
    assert entry.files[1].size == 3


BAD = r"""
licence: none | licence: none\n    colour: red | datasets.toy: unknown key 'colour'
size: 3 | sice: 3 | datasets.toy.files\[1\]: unknown key 'sice'; did you mean size
task: multilabel | x: 1 | datasets.toy:
task: multilabel | task: ranking | datasets.toy.task:
mulan_arff | excel | datasets.toy.format:
size: 3 | sha256: abc | files\[1\].sha256:
test: test} | test: dev} | datasets.toy.splits\[0\].test: unknown part 'dev'
part: test | part: train | datasets.toy.files:
part: test | part: Train | datasets.toy.files: 'train' and 'Train' are one file where case does not count
test: test} | test: test}\n      - {name: Main, train: train, test: test} | splits: 'main' and 'Main' are
name: b.arff, part: test | name: b.arff | splits\[0\].test: unknown part 'test'
    splits: |     divide: {part: all, method: random, into: {c: 0.5, d: 0.5}}\n    splits: | toy.divide.part:
    splits: |     divide: {part: train, method: listed, into: {c: 0.5, d: 0.5}}\n    splits: | toy.divide.method:
    splits: |     divide: {part: train, method: random, into: {c: 1}}\n    splits: | toy.divide.into:
    splits: |     divide: {part: train, method: random, into: {c: 0.7, d: 0.2}}\n    splits: | into: .* sum to 0.9,
    splits: |     divide: {part: train, method: random, into: {c: 0.9, d: 0.2}}\n    splits: | into: .* sum to 1.1,
format: mulan_arff | format: npy\n    embedded: digits | datasets.toy.format:
format: mulan_arff | url: https://a | datasets.toy.format:
datasets: | data_sets: | unknown key 'data_sets'
title: Toy | title: 'Toy | datasets.yaml:
    licence |     statistics: [{source: t, n_classes: 26}]\n    licence | statistics\[0\].n_classes:
    licence |     statistics: [{source: t, n_classes: 4k}]\n    licence | statistics\[0\].n_classes:
"""


@pytest.mark.parametrize("case", BAD.strip("\n").splitlines())
def test_faults_are_told_in_one_line_with_file_and_key(load, case):
    old, new, message = case.split(" | ")
    old, new = old.replace("\\n", "\n"), new.replace("\\n", "\n")
    assert old in GOOD
    with pytest.raises(ValueError, match=message) as caught:
        load(GOOD.replace(old, new, 1))
    assert "datasets.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "helps"),
    [
        ("mulan_arff", "csv", "`format: table`"),
        ("mulan_arff", "ARFF", "`format: mulan_arff`"),
        ("toy:", "my toy:", "expected small letters"),
        ("a.arff", "mes données.arff", "expected letters without accents"),
        ("part: train", "part: yes", "quote it"),
    ],
)
def test_a_name_that_is_not_allowed_is_told_with_one_that_helps(load, old, new, helps):
    with pytest.raises(ValueError, match=helps):
        load(GOOD.replace(old, new, 1))


def test_a_misspelt_protocol_of_own_data_is_told(load):
    text = GOOD.replace("protocol: multilabel", "protocol: owm").partition("    splits")[0]
    with pytest.raises(ValueError, match=r"'owm'; did you mean own\?"):
        load(text.replace("part: test", "part: other"))


def test_a_set_has_another_one_for_each_draw_of_its_folds(load):
    found = load(GOOD + "fold_seeds: {toy: 3}\n")
    assert found.seeds_of == {"toy_seeds": "toy"}
    toy, drawn = found["toy"], found["toy_seeds"]
    assert [vars(split) for split in drawn.splits] == [
        {"name": f"s0{i}", "train": "train", "val": None, "test": "test"} for i in range(3)
    ]
    assert (drawn.title, drawn.folder) == ("Toy, 3 seeds of the folds", "toy")
    assert (drawn.files, drawn.protocol) == (toy.files, toy.protocol)
    assert drawn.published_key == "toy_seeds"  # no paper prints it
    assert load(GOOD).seeds_of == {}


def test_folds_of_an_unknown_set_cannot_be_drawn_again(load):
    with pytest.raises(ValueError, match=r"fold_seeds\.toys: "):
        load(GOOD + "fold_seeds: {toys: 3}\n")
    text = GOOD.replace("toy:", "toy_seeds:") + GOOD.partition("datasets:")[2].lstrip("\n")
    with pytest.raises(ValueError, match=r"datasets\.toy_seeds: the name of toy with"):
        load(text + "fold_seeds: {toy: 3}\n")


def test_the_examples_of_the_documentation_are_valid(repository, load):
    text = (repository / "docs/own-data.md").read_text()
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    opening = yaml.safe_load(
        "\n".join(lines[: lines.index("snakemake --cores 2 --configfile own.yaml")])
    )
    assert set(opening) == {"datasets", "methods", "studies"}
    more = yaml.safe_load("\n".join(lines[lines.index("  words:") :]))
    examples = load(yaml.safe_dump({"datasets": opening["datasets"] | more}))
    assert set(examples) == {"mine", "words", "tags", "calls", "notes", "vectors"}
    assert (examples["mine"].folds, examples["words"].divide.into["train"]) == (5, 0.7)


def test_a_misspelt_protocol_of_a_divided_set_is_told_with_the_names_that_users_write(repository):
    row = {"title": "Mine", "task": "multiclass", "format": "table", "options": {"label": "kind"}}
    row |= {"files": [{"name": "a.csv", "part": "all"}]}
    row |= {"divide": {"part": "all", "method": "random", "into": {"train": 0.7, "test": 0.3}}}
    for protocol, told in (("owm", r"did you mean own\?"), ("none", r"known: .*, own, ")):
        with pytest.raises(ValueError, match=told) as caught:
            load_catalogue(repository, {"datasets": {"mine": row | {"protocol": protocol}}})
        assert "own_multiclass" not in str(caught.value)


@pytest.mark.parametrize("kind", sorted({*get_args(Format)} - {"voc", "coco"}))
def test_label_sets_have_a_single_label_where_regions_have_a_prominent_one(registry, kind):
    of_regions = registry["voc2007"]
    assert _lacking(of_regions, Method("m", "M", "lr_multi")) == ""
    alone = replace(registry["emotions"], format=kind)
    assert _lacking(alone, Method("m", "M", "lr_multi")) == "single labels"
