"""The registry of methods, the studies, and the keys by which methods are compared."""

import math
import re
import textwrap

import pytest
import yaml

from toplabel.reproduction.config.catalogue import Study, load_catalogue
from toplabel.reproduction.config.documents import Fault, check, check_rows
from toplabel.reproduction.config.keys import (
    Key,
    canonical_key,
    number_text,
    published_tables,
    short_name,
    table_name,
)
from toplabel.reproduction.config.methods import Method, MethodsFile, load_methods, whole_rows
from toplabel.reproduction.config.protocols import Axis, Budget, load_protocols


def methods_of(text, own=None):
    """The methods of a text that stands below `methods:`, with `own` ones of a run."""
    document = {"methods": yaml.safe_load(text)}
    found = check_rows(document, MethodsFile, "methods.yaml", "methods", own or {}, whole_rows)
    return found.methods


def study_of(text):
    return check({"name": "mine"} | yaml.safe_load(text), Study, "mine.yaml")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (("topk_svm_alpha", "1", "0", "linear"), ("svm_multi", "", "0", "linear")),
        (("topk_svm_beta", 1, 1.0, "linear"), ("svm_multi", "", "1", "linear")),
        (("topk_svm_beta", "3", "1", "linear"), ("topk_svm_beta", "3", "1", "linear")),
        (("topk_svm_alpha", "", "1", "linear"), ("topk_svm_alpha", "", "1", "linear")),
        (("topk_ent", 1.0, "", "linear"), ("lr_multi", "", "", "linear")),
        (("topk_ent_tr", "1", "", "linear"), ("lr_multi", "", "", "linear")),
        (("svm_multi", math.nan, None, "linear"), ("svm_multi", "", "0", "linear")),
        (("svm_ml", 1, 0.0, "rbf"), ("svm_ml", "", "0", "rbf")),
        (("lr_ml", 1, 0.0, "linear"), ("lr_ml", "", "", "linear")),
        (("reference", "5", "", ""), ("reference", "5", "", "")),
    ],
)
def test_canonical_key(printed, expected):
    assert canonical_key(*printed) == Key(*expected)


def test_a_canonical_key_is_its_own_key(catalogue):
    for method in catalogue.methods.values():
        assert canonical_key(*method.key) == method.key


@pytest.mark.parametrize("value", ["a", "inf", math.inf])
def test_a_key_refuses_what_is_no_number(value):
    with pytest.raises(ValueError, match="gamma"):
        canonical_key("svm_multi", "", value, "linear")


def test_number_text_is_short_and_exact():
    assert [number_text(v, "k") for v in ("1.0", 2, 0.1, "nan", "")] == ["1", "2", "0.1", "", ""]
    assert float(number_text(0.123456789, "gamma")) == 0.123456789


def test_labels_and_features_make_another_method_of_a_loss():
    rows = "a: {label: A, loss: svm_ova}\nb: {label: B, loss: svm_ova, labels: set}\n"
    one, sets, bias = methods_of(f"{rows}c: {{label: C, loss: svm_ova, features: bias}}").values()
    assert (one.task, one.key.method) == ("multiclass", "svm_ova")
    assert (sets.task, sets.key.method) == ("multilabel", "svm_ova_sets")
    assert bias.key.method == "svm_ova_bias"


def test_a_row_with_ks_is_a_method_for_each_k():
    row = '{label: "top-{k} A", loss: topk_ent, ks: [2, 10]}'
    variant = '{label: "{k} passes", variant_of: "a_k{k}", ks: [10], passes: 3}'
    found = methods_of(f"a_k{{k}}: {row}\na_k{{k}}_short: {variant}")
    assert [*found] == ["a_k2", "a_k10", "a_k10_short"]
    assert [(m.label, m.k) for m in found.values()] == [
        ("top-2 A", 2),
        ("top-10 A", 10),
        ("10 passes", 10),
    ]
    assert found["a_k10_short"].variant_of == "a_k10"


def test_a_variant_has_the_keys_of_its_method_but_those_it_states():
    rows = "a: {label: A, loss: svm_ml, gamma: 1, kernel: rbf}\n"
    _, variant = methods_of(f"{rows}b: {{label: B, variant_of: a, kernel: linear}}").values()
    assert (variant.loss, variant.gamma, variant.kernel) == ("svm_ml", 1.0, "linear")
    assert variant.key.method == "b"  # meets no published number
    _, other = methods_of(
        "a: {label: A, loss: lr_multi}\nb: {label: B, variant_of: a, competitor: toppush}"
    ).values()
    assert (other.loss, other.competitor) == ("", "toppush")


def test_an_estimator_has_fixed_parameters_and_a_grid():
    (forest,) = methods_of("""
      forest:
        label: Forest
        estimator: sklearn.ensemble.RandomForestClassifier
        labels: set
        params: {n_estimators: 10, max_features: sqrt, estimator: {params: {tol: 1e-4}}}
        grid: {min_samples_leaf: [1, 1e-4], max_depth: [3, null]}
    """).values()
    assert (forest.task, forest.family, forest.selects_C) == ("multilabel", "forest", False)
    assert forest.candidates[1] == {"min_samples_leaf": 1, "max_depth": None}
    assert forest.candidates[2]["min_samples_leaf"] == 1e-4  # for YAML a text
    assert forest.params["estimator"]["params"] == {"tol": 1e-4}
    assert len(forest.candidates) == 4
    grid = forest.grid_of(Budget(Axis(10, -5, 3, 1), folds=3, extend=2), "quick")
    assert (grid.C, grid.extend, grid.folds) == (None, 0, 3)


def test_a_loss_of_the_user_has_parameters_and_selects_its_C():
    (own,) = methods_of("a: {label: A, loss: mine.Loss, params: {k: 5}, labels: set}").values()
    assert (own.task, own.family, own.path, own.selects_C) == ("multilabel", "a", "mine.Loss", True)


BAD_ROWS = r"""
loss: svm_multi, C: 1 | a: unknown key
loss: svm_multi, kernal: rbf | did you mean kernel
loss: svm_ova, competitor: svm_ova_liblinear | a: needs either
competitor: x | a.competitor:
competitor: svm_ova_liblinear, kernel: rbf | a.kernel:
estimator: RandomForest | a.estimator:
loss: mine.Loss, grid: {alpha: [1, 2]} | a.grid:
estimator: a.B, grid: {paper: {base: 2, from: 0, to: 1, step: 1}} | a.grid
estimator: a.B, k: 15 | a.k: .*`params`
estimator: a.B, gamma: 0.1 | a.gamma: .*`params`
loss: svm_ml, grid: {D: [1, 2]} | a.grid:
loss: svm_ml, params: {x: 1} | a.params:
loss: svm_multi, labels: set | a.labels:
loss: svm_ml, grid: {paper: {base: 1, from: 0, to: 1, step: 1}} | a.grid.paper.base:
loss: svm_ml, kernel: rbf, features: bias | a.features:
loss: hinge | a.loss:
loss: topk_ent, k: [2] | a.k:
loss: topk_ent, k: [2, x] | a.k\[1\]:
loss: topk_ent, ks: 2 | a.ks:
loss: topk_ent, ks: [2, 3] | a.ks:
loss: svm_multi, gamma: -1 | a.gamma:
loss: svm_ml, variant_of: c | a.variant_of:
"""


@pytest.mark.parametrize("row", BAD_ROWS.strip().splitlines())
def test_a_bad_row_is_refused_in_one_line_with_its_key(row):
    keys, message = row.split(" | ")
    with pytest.raises(ValueError, match=message) as raised:
        methods_of(f"a: {{label: A, {keys}}}")
    assert str(raised.value).startswith("methods.yaml: methods.a")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a: {loss: svm_ml}", "'label' is missing"),
        ("a: 3", "methods.a"),
        ("A: {label: A, loss: svm_ml}", "methods.A"),
        (
            "a: {label: A, loss: lr_ml}\nb: {label: B, loss: lr_ml, gamma: 1, k: 2}",
            "methods.b: the same",
        ),
        ("a: {label: A, loss: lr_ml}\nb: {label: A, loss: svm_ml}", "methods.b.label: .*'a'"),
        (
            'a_k2: {label: A, loss: lr_ml}\na_k{k}: {label: "{k}", loss: topk_ent, ks: [2]}',
            "methods.a_k{k}: 'a_k2' is a method already",
        ),
        ("{}", "methods"),
    ],
)
def test_a_bad_registry_of_methods_is_refused(rows, message):
    with pytest.raises(ValueError, match=message) as raised:
        methods_of(rows)
    assert "\n" not in str(raised.value)


def test_a_row_of_the_run_is_told_from_one_of_the_file():
    rows = 'a_k{k}: {label: "{k}", loss: topk_ent, ks: [2, 3]}'
    own = {"b_k{k}": {"label": "own {k}", "loss": "topk_ent_tr", "ks": [2, 3]}}
    assert [*methods_of(rows, own)] == ["a_k2", "a_k3", "b_k2", "b_k3"]
    for name, row in (
        ("a_k3", {"label": "B", "loss": "svm_multi"}),
        ("a_k{k}", {"label": "B {k}", "loss": "topk_ent_tr", "ks": [7, 8]}),
    ):
        with pytest.raises(Fault, match=rf"^methods\.{re.escape(name)}: "):
            methods_of(rows, {name: row})
    estimator = {"label": "C", "variant_of": "a_k3", "estimator": "x.Y"}
    assert methods_of(rows, {"c": estimator})["c"].k == 1
    with pytest.raises(Fault, match=r"^methods\.b_k2\.gamma: "):
        methods_of(rows, {"b_k{k}": own["b_k{k}"] | {"gamma": -1}})
    with pytest.raises(ValueError, match=r"^methods.yaml: methods\.a_k2\.gamma: "):
        methods_of(rows.replace("ks", "gamma: -1, ks"), own)


def test_a_point_takes_the_place_of_the_grids():
    rows = "a: {label: A, loss: svm_ml, kernel: rbf}\n"
    variant = methods_of(f"{rows}b: {{label: B, variant_of: a, point: {{C: -6, theta: 2}}}}")["b"]
    grid = Axis(2, -9, 9, 3)
    budget = Budget(grid, grid, folds=3, refine=1, extend=2, screen_rows=100)
    narrowed = variant.grid_of(budget, "standard")
    assert narrowed.C.values() == [2.0**-6]
    assert narrowed.theta.values() == [4.0]
    assert (narrowed.refine, narrowed.extend, narrowed.screen_rows) == (None, 0, None)
    assert narrowed.folds == 3


def test_patterns_of_a_study_stand_for_the_methods_that_they_match():
    study = study_of("{title: T, datasets: [x, y], methods: [b, 'a_k[2-5]'], only: {'c*': [y]}}")
    whole = study.with_methods(["a_k10", "a_k5", "a_k2", "b", "c1", "c2"])
    assert whole.methods == ("b", "a_k5", "a_k2")
    assert whole.only == {"c1": ("y",), "c2": ("y",)}
    assert ("x", "c1") not in whole.pairs
    assert whole.pairs[-1] == ("y", "c2")


def test_the_data_sets_of_two_patterns_that_match_a_method_are_joined():
    study = study_of("{title: T, datasets: [x, y], only: {'c*': [y], c1: [x]}}")
    assert study.with_methods(["c1", "c2"]).only == {"c1": ("y", "x"), "c2": ("y",)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"datasets": ["letters"]}, "unknown data set 'letters'; did you mean letter"),
        ({"methods": ["lr_multis"]}, "unknown method 'lr_multis'; did you mean lr_multi"),
        ({"methods": ["nothing_*"]}, r"unknown method 'nothing_\*'"),
        ({"tables": ["table99"]}, "unknown table 'table99'; did you mean"),
    ],
)
def test_a_study_that_names_something_unknown_is_refused(repository, row, message):
    study = {"title": "T", "datasets": ["letter"], "methods": ["svm_multi"]} | row
    with pytest.raises(ValueError, match=f"^study 'mine': {message}"):
        load_catalogue(repository, {"studies": {"mine": study}})


def test_a_method_is_only_for_data_sets_of_its_study():
    with pytest.raises(ValueError, match="only: unknown data set of the study 'z'; known: x, y"):
        study_of("{title: T, datasets: [x, y], only: {c: [z]}}")


def test_tables_have_a_short_name(repository):
    assert table_name("tpami2017", "5") == "table05"
    assert table_name("cvpr2016", "7") == "cvpr2016_table07"
    assert short_name("letter") == "letter"
    tables = published_tables(repository / "data/published")
    assert tables["cvpr2016_table07"] == ("cvpr2016", "7")
    assert "table02" not in tables  # runtimes
    assert len(tables) == 29


def documented(repository, first_line):
    """The indented block of docs/extend.md that starts with this line."""
    lines = (repository / "docs/extend.md").read_text().splitlines()
    start = lines.index(f"    {first_line}")
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("    "))
    return textwrap.dedent("\n".join(lines[start:end]))


def test_the_documented_study_and_method_are_ones(repository, catalogue, tmp_path):
    study = study_of(documented(repository, "title: Softmax against hinge"))
    assert study.datasets == ("letter", "optdigits")
    assert {*study.methods} <= {*catalogue.methods}
    path = tmp_path / "methods.yaml"
    path.write_text(documented(repository, "methods:"))
    assert load_methods(path)["svm_multi_half"] == Method(
        "svm_multi_half", "SVM^{Multi}_{0.5}", "svm_multi", gamma=0.5
    )


def test_the_C_of_a_loss_is_selected_from_a_list(repository):
    budget = load_protocols(repository / "config/protocols.yaml")["own_multiclass"].budgets[
        "standard"
    ]
    method = Method("m", "M", "lr_multi", grid={"C": (10, 0.1, 1)})
    grid = method.grid_of(budget, "standard")
    assert grid.C.values() == [0.1, 1.0, 10.0]
    assert (grid.extend, grid.refine, grid.folds) == (0, None, budget.folds)
    (alone,) = Method("m", "M", "lr_multi", grid={"C": (5.0,)}).grid_of(budget, "paper").C.values()
    assert alone == pytest.approx(5.0)


@pytest.mark.parametrize("values", [(1, 2, 5), (0, 1), (1, 1), ("a",)])
def test_a_list_that_is_no_grid_of_C_is_refused(values):
    with pytest.raises(ValueError, match=r"the values .* of C should .* equally spaced"):
        Method("m", "M", "lr_multi", grid={"C": values})


def test_the_class_of_an_own_loss_says_what_it_is_trained_on(tmp_path, monkeypatch):
    source = """
import not_there_at_all  # planning imports no module of the user

class Sets:
    labels = "set"

class Typed:
    labels: str = "set"

class Rows:
    labels = "one"

class Silent:
    pass
"""
    (tmp_path / "losses_of_mine.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    names = ("Sets", "Typed", "Rows", "Silent", "Absent")
    tasks = [Method("m", "M", f"losses_of_mine.{name}").task for name in names]
    assert tasks == ["multilabel"] * 2 + ["multiclass"] * 3
    assert Method("m", "M", "no_such_module.Sets").task == "multiclass"
