"""The registry of methods, the studies, and the keys by which methods are compared."""

import math
import textwrap

import pytest

from toplabel.reproduction.config.keys import Key, canonical_key, number_text
from toplabel.reproduction.config.methods import Method, load_methods
from toplabel.reproduction.config.protocols import Axis, Budget, Refinement
from toplabel.reproduction.config.studies import (
    Study,
    check_study,
    load_studies,
    load_study,
    published_tables,
    short_name,
    studies_with_table,
    table_name,
)


@pytest.fixture
def methods_file(tmp_path):
    """Write a methods.yaml with the given rows and return how to load it."""

    def load(text):
        path = tmp_path / "methods.yaml"
        path.write_text(text)
        return load_methods(path)

    return load


@pytest.fixture
def study_file(tmp_path):
    """As `methods_file`, for a study named mine."""

    def load(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return load_study(path)

    return load


# Keys ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (("topk_svm_alpha", "1", "0", "linear"), ("svm_multi", "", "0", "linear")),
        (("topk_svm_beta", 1, 1.0, "linear"), ("svm_multi", "", "1", "linear")),
        (("topk_svm_beta", "3", "1", "linear"), ("topk_svm_beta", "3", "1", "linear")),
        (("topk_svm_alpha", "", "1", "linear"), ("topk_svm_alpha", "", "1", "linear")),
        (("topk_ent", 1.0, "", "linear"), ("lr_multi", "", "", "linear")),
        (("topk_ent", "10", "", "linear"), ("topk_ent", "10", "", "linear")),
        (("topk_ent_tr", "1", "", "linear"), ("lr_multi", "", "", "linear")),
        (("svm_multi", math.nan, None, "linear"), ("svm_multi", "", "0", "linear")),
        (("svm_ml", 1, 0.0, "rbf"), ("svm_ml", "", "0", "rbf")),
        (("lr_ml", 1, 0.0, "linear"), ("lr_ml", "", "", "linear")),
        (("lr_multi", "", "", ""), ("lr_multi", "", "", "")),
        (("reference", "5", "", ""), ("reference", "5", "", "")),
        (("svm_multi", "", "0.5", "linear"), ("svm_multi", "", "0.5", "linear")),
    ],
)
def test_canonical_key(printed, expected):
    assert canonical_key(*printed) == Key(*expected)


def test_a_canonical_key_is_its_own_key(repository):
    for method in load_methods(repository / "config/methods.yaml").values():
        assert canonical_key(*method.key) == method.key


@pytest.mark.parametrize("value", ["a", "inf", math.inf])
def test_a_key_refuses_what_is_no_number(value):
    with pytest.raises(ValueError, match="gamma must be a number or empty"):
        canonical_key("svm_multi", "", value, "linear")


def test_number_text_is_short_and_exact():
    assert [number_text(v, "k") for v in ("1.0", 2, 0.1, "nan", "")] == ["1", "2", "0.1", "", ""]
    assert float(number_text(0.123456789, "gamma")) == 0.123456789


# Methods ------------------------------------------------------------------------------------------


def test_the_registered_methods(repository):
    methods = load_methods(repository / "config/methods.yaml")
    assert methods["svm_ml_smooth_rbf"] == Method(
        "svm_ml_smooth_rbf", "SVM^{ML}_{1} (RBF)", "svm_ml", k=1, gamma=1.0, kernel="rbf"
    )
    kinds = {name: method.task for name, method in methods.items()}
    assert kinds["svm_multi"] == kinds["lr_multi"] == "multiclass"
    assert kinds["svm_ml"] == kinds["lr_ml_rbf"] == "multilabel"
    assert methods["lr_multi"].gamma == 0.0
    ours, theirs = methods["svm_ova"], methods["svm_ova_liblinear"]
    assert ours.task == theirs.task == "multiclass"
    assert theirs.family == theirs.key.method == "svm_ova_liblinear"  # meets no published cell


def test_label_sets_make_another_method_of_a_loss(methods_file):
    rows = "methods: {a: {label: A, loss: svm_ova}, b: {label: B, loss: svm_ova, labels: set}}"
    one, sets = methods_file(rows).values()
    assert (one.task, one.key.method) == ("multiclass", "svm_ova")
    assert (sets.task, sets.key.method) == ("multilabel", "svm_ova_sets")
    assert sets.key.gamma == one.key.gamma == "0"


def test_features_make_another_method_of_a_loss(methods_file):
    rows = "methods: {a: {label: A, loss: lr_ml}, b: {label: B, loss: lr_ml, features: bias}}"
    raw, bias = methods_file(rows).values()
    assert (raw.key.method, bias.key.method) == ("lr_ml", "lr_ml_bias")
    assert bias.task == "multilabel"


BAD_ROWS = r"""
loss: svm_multi, C: 1 | a: unknown key 'C'; known: label, loss, k,
loss: svm_ova, baseline: svm_ova_liblinear | a: needs either a loss or a baseline
baseline: x | a.baseline: unknown baseline 'x'; known
baseline: svm_ova_liblinear, params: {x: 1} | a.params: unknown option 'x'; known: none
baseline: svm_ova_liblinear, kernel: rbf | a.kernel: the baseline 'svm_ova_liblinear' has no kernel
baseline: svm_ova_liblinear, k: 3 | a.k: the baseline 'svm_ova_liblinear' has no k, got 3
baseline: svm_ova_liblinear, gamma: 1 | a.gamma: the baseline 'svm_ova_liblinear' has no gamma, got 1
loss: svm_ml, params: {x: 1} | a.params: only a baseline has
loss: svm_multi, labels: set | a.labels: the loss 'svm_multi'
loss: svm_ml, grid: {paper: {base: 1, from: 0, to: 1, step: 1}} | a.grid.paper.base: 1 is not above 1
loss: svm_ml, kernel: rbf, features: bias | a.features: only for a loss with the linear kernel
loss: hinge | a.loss: unknown loss 'hinge'
loss: svm_ml, kernal: rbf | a: unknown key 'kernal'; did you mean kernel
loss: topk_ent, k: [2] | a.k: \[2\] has fewer entries than 2
loss: topk_ent, k: [2, 2] | a.k: 2 is given twice
loss: topk_ent, k: 2.0 | a.k: 2.0 is not a whole
loss: topk_ent, k: [2, x] | a.k\[1\]: 'x' is not a whole
loss: topk_ent, name: b | a: unknown key 'name'
loss: svm_multi, gamma: -1 | a.gamma: -1 is below 0
loss: svm_multi, k: 0 | a.k: 0 is below 1
loss: lr_ml, gamma: 1 | a.gamma: the loss 'lr_ml' has no g
loss: svm_ml, k: 2 | a.k: the loss 'svm_ml' has no k, got 2
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (f"methods: {{a: {{label: A, {row}}}}}", message)
            for row, message in (line.split(" | ") for line in BAD_ROWS.strip().splitlines())
        ),
        ("methods: {a: {label: A}}", "methods.a: needs either a loss or a baseline"),
        ("methods: {a: {loss: svm_ml}}", "methods.a: the key 'label' is missing"),
        ("methods: {a: 3}", "methods.a: 3 is not a mapping"),
        ("methods: {A: {label: A, loss: svm_ml}}", "methods.A: 'A' does not match"),
        (
            "methods: {a: {label: A, loss: svm_ml}, b: {label: B, loss: svm_ml, gamma: 0}}",
            "methods.b: the same method as 'a'",
        ),
        ("methods: {}", "methods: {} has fewer entries than 1"),
        ("methods: [", "methods.yaml:2: not YAML"),
        ("", "methods.yaml: None is not a mapping"),
    ],
)
def test_a_bad_registry_of_methods_is_refused(methods_file, text, message):
    with pytest.raises(ValueError, match=message) as raised:
        methods_file(text)
    assert "methods.yaml" in str(raised.value)
    assert "\n" not in str(raised.value)


# Studies ------------------------------------------------------------------------------------------


def test_the_registered_studies_name_what_exists(repository):
    from toplabel.reproduction.config.datasets import load_registry

    datasets = load_registry(repository / "config/datasets.yaml")
    methods = load_methods(repository / "config/methods.yaml")
    tables = published_tables(repository / "data/published")
    studies = load_studies(repository / "config/studies")
    assert {"circle", "digits", "digit_scenes", "multiclass", "multilabel"} <= set(studies)
    for study in studies.values():
        check_study(study, datasets, methods, tables)


def test_a_study_is_read(study_file):
    study = study_file(
        "{title: T, datasets: [letter], methods: [svm_multi], tables: [tpami2017_table05]}"
    )
    assert study == Study("mine", "T", ("letter",), ("svm_multi",), tables=("table05",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{title: T, datasets: [a], methods: [b], metrics: [c]}",
            "unknown key 'metrics'; known: title",
        ),
        ("{name: a, title: T, datasets: [a], methods: [b]}", "unknown key 'name'"),
        ("{title: T, datasets: [a]}", "methods: a study needs one"),
        ("{title: T, datasets: [], methods: [b]}", r"datasets: \[\] has fewer"),
        ("{title: T, datasets: [a, a], methods: [b]}", "datasets: 'a' is given twice"),
        (
            "{title: T, datasets: [a], methods: [b], budget: paper}",
            "unknown key 'budget'; known: title",
        ),
        ("{title: T, datasets: a, methods: [b]}", "datasets: 'a' is not a list"),
    ],
)
def test_a_bad_study_is_refused(study_file, text, message):
    with pytest.raises(ValueError, match=message) as raised:
        study_file(text)
    assert "mine.yaml" in str(raised.value)
    assert "\n" not in str(raised.value)


STUDY = Study("mine", "T", ("letter", "yeast"), ("svm_multi",), tables=("table05",))


@pytest.mark.parametrize(
    ("datasets", "methods", "tables", "message"),
    [
        (["letters", "yeast"], ["svm_multi"], None, "unknown data set 'letter'; did you mean lett"),
        (["letter"], ["svm_multi"], None, "unknown data set 'yeast'; known: letter$"),
        (["letter", "yeast"], ["lr"], None, "unknown method 'svm_multi'; known: lr$"),
        (["letter", "yeast"], [], None, "unknown method 'svm_multi'; known: none$"),
        (["letter", "yeast"], ["svm_multi"], ["table07"], "unknown table 'table05'; did you mean"),
    ],
)
def test_a_study_that_names_something_unknown_is_refused(datasets, methods, tables, message):
    with pytest.raises(ValueError, match=f"^study 'mine': {message}"):
        check_study(STUDY, datasets, methods, tables)


def test_a_study_that_names_what_is_known_passes():
    check_study(STUDY, ["letter", "yeast"], ["svm_multi"], ["table05"])


def test_tables_have_a_short_name():
    assert table_name("tpami2017", "5") == "table05"
    assert table_name("cvpr2016", "7") == "cvpr2016_table07"
    assert short_name("tpami2017_table12") == "table12"
    assert short_name("letter") == "letter"
    studies = {"mine": STUDY}
    assert studies_with_table(studies, "tpami2017_table05") == ["mine"]
    assert studies_with_table(studies, "table07") == []


def test_published_tables_are_the_files(repository):
    tables = published_tables(repository / "data/published")
    assert tables["table05"] == ("tpami2017", "5")
    assert tables["cvpr2016_table07"] == ("cvpr2016", "7")
    assert "table02" not in tables  # runtimes
    assert len(tables) == 29


# Documentation ------------------------------------------------------------------------------------


def documented(repository, first_line):
    """The indented block of docs/extend.md that starts with this line."""
    lines = (repository / "docs/extend.md").read_text().splitlines()
    start = lines.index(f"    {first_line}")
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("    "))
    return textwrap.dedent("\n".join(lines[start:end]))


def test_the_documented_study_is_one(repository, study_file):
    study = study_file(documented(repository, "title: Softmax against hinge on my data"))
    assert study.datasets == ("mine", "letter")
    assert study.tables == ("table05", "cvpr2016_table07")
    check_study(
        study,
        ["mine", "letter"],
        load_methods(repository / "config/methods.yaml"),
        published_tables(repository / "data/published"),
    )


def test_the_documented_method_is_one(repository, methods_file):
    methods = methods_file(documented(repository, "methods:"))
    assert methods["svm_multi_half"].gamma == 0.5


# Variants -----------------------------------------------------------------------------------------

VARIANT = "methods: {a: {label: A, loss: svm_ml}, b: {label: B, loss: svm_ml, variant_of: a, %s}}"


def test_a_variant_meets_no_published_number_and_may_be_the_same_method(methods_file):
    one, variant = methods_file(VARIANT % "passes: 3").values()
    assert one.key.method == "svm_ml"
    assert variant.key.method == "b"
    assert variant.task == "multilabel"


def test_a_point_takes_the_place_of_the_grids(methods_file):
    rows = "methods: {a: {label: A, loss: svm_ml, kernel: rbf}, b: {label: B, loss: svm_ml, kernel: rbf, %s}}"
    variant = methods_file(rows % "variant_of: a, point: {C: -6, theta: 2}")["b"]
    grid = Axis(2, -9, 9, 3)
    budget = Budget(grid, grid, folds=3, refine=Refinement(1, 1), extend=2, screen_rows=100)
    narrowed = variant.budget(budget, "standard")
    assert narrowed.C.values() == [2.0**-6]
    assert narrowed.theta.values() == [4.0]
    assert (narrowed.refine, narrowed.extend, narrowed.screen_rows) == (None, 0, None)
    assert narrowed.folds == 3


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("variant_of: c", "methods.b.variant_of: unknown method 'c'"),
        ("variant_of: b", "methods.b.variant_of: 'b' is itself a variant"),
        ("point: {theta: 1}", "needs C, and with the RBF kernel, and no other, theta"),
        ("point: {C: 1, theta: 1}", "needs C, and with the RBF kernel, and no other, theta"),
        ("passes: 0", "passes"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(methods_file, keys, message):
    rows = (
        VARIANT % keys if "variant_of" not in keys else VARIANT.replace("variant_of: a, %s", keys)
    )
    with pytest.raises(ValueError, match=message):
        methods_file(rows)


def test_a_variant_takes_no_name_of_a_loss_and_no_other_labels(methods_file):
    row = "{label: B, loss: lr_multi, variant_of: a}"
    with pytest.raises(ValueError, match="'a' is trained on other labels"):
        methods_file(f"methods: {{a: {{label: A, loss: svm_ml}}, b: {row}}}")
    with pytest.raises(ValueError, match="may not have the name of a loss or baseline"):
        methods_file(f"methods: {{a: {{label: A, loss: svm_multi}}, topk_ent: {row}}}")


def test_passes_and_points_are_for_variants_alone(methods_file):
    with pytest.raises(ValueError, match="only for a loss, and a variant of another method"):
        methods_file("methods: {a: {label: A, loss: svm_ml, passes: 3}}")


def test_a_method_may_be_for_some_of_the_data_sets(study_file):
    study = study_file("{title: T, datasets: [x, y], methods: [a], only: {b: [y]}}")
    assert study.pairs == [("x", "a"), ("y", "a"), ("y", "b")]


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("{b: [x]}", "only.b: is among the methods for all of the data sets"),
        ("{c: [z]}", "only.c: unknown data set of the study 'z'"),
    ],
)
def test_only_adds_methods_on_data_sets_of_the_study(study_file, only, message):
    with pytest.raises(ValueError, match=message):
        study_file(f"{{title: T, datasets: [x, y], methods: [a, b], only: {only}}}")
