"""Methods beside each other: within a data set, over data sets, and what is left out by name."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from samples_of_results import evaluations
from toplabel.reproduction.compare import statistics
from toplabel.reproduction.compare.beside import compare_methods
from toplabel.reproduction.config import catalogue
from toplabel.reproduction.config.catalogue import Study, load_catalogue
from toplabel.reproduction.config.documents import Fault
from toplabel.reproduction.selection import measures

FOLDS = {"a": [90.0, 92.0, 91.0, 93.0, 94.0], "b": [88.0, 91.0, 91.0, 92.0, 91.0]}


def catalogue_of(study):
    method = SimpleNamespace(variant_of="", label="A method")
    return SimpleNamespace(
        studies={study.name: study},
        methods={name: method for _, name in study.pairs},
        other_draws=set(),
    )


def compared(study, rows, draws=None):
    shares = dict.fromkeys(study.datasets, 0.2)
    return compare_methods(
        evaluations(*rows), catalogue_of(study), [study.name], draws or {}, shares
    )


def study_of(datasets=("one",), methods=("a", "b"), **more):
    return Study(name="s", title="S", datasets=datasets, methods=methods, **more)


def rows_of(folds, dataset="one", metric="top1", **more):
    return [
        (dataset, method, f"f{i}", metric, value, more)
        for method, values in folds.items()
        for i, value in enumerate(values)
    ]


def by_method(frame):
    return {row["method"]: row for row in frame.to_dict("records")}


def test_methods_on_a_set_differ_by_the_corrected_test_over_the_same_folds():
    scores = by_method(compared(study_of(rope=0.5), rows_of(FOLDS))["scores"])
    a, b = scores["a"], scores["b"]
    assert (a["mean"], a["splits"], a["place"], a["over"]) == (92.0, 5, 1, "folds")
    assert a["std"] == pytest.approx(np.std(FOLDS["a"], ddof=1))
    differences = np.subtract(FOLDS["b"], FOLDS["a"])
    error = np.sqrt((1 / 5 + 0.25) * differences.var(ddof=1))
    assert b["ahead"] == pytest.approx(differences.mean())
    assert b["behind"] == pytest.approx(-differences.mean())
    p = 2 * stats.t.sf(abs(differences.mean()) / error, 4)
    assert b["ahead_p"] == pytest.approx(p)
    low, high = stats.t(4, differences.mean(), error).interval(0.95)
    assert (b["ahead_low"], b["ahead_high"]) == pytest.approx((low, high))
    assert b["worse"] == pytest.approx(stats.t.cdf(-0.5, 4, differences.mean(), error))
    assert a["best"]
    assert not b["best"]
    assert b["alike"] == (p > 0.05)


def test_p_values_are_adjusted_for_the_number_of_methods():
    two = by_method(compared(study_of(), rows_of(FOLDS))["scores"])["b"]
    again = FOLDS | {"c": FOLDS["b"]}
    three = by_method(compared(study_of(methods=("a", "b", "c")), rows_of(again))["scores"])["b"]
    assert three["ahead_p"] == pytest.approx(min(1.0, 2 * two["ahead_p"]))
    assert three["ahead_low"] == two["ahead_low"]


def test_best_are_all_that_tie_at_the_printed_digits():
    folds = {"a": [90.0, 90.0], "b": [90.04, 90.02], "c": [89.0, 88.0]}
    rows = compared(study_of(methods=("a", "b", "c")), rows_of(folds))["scores"]
    assert {name: row["best"] for name, row in by_method(rows).items()} == {
        "a": True,
        "b": True,
        "c": False,
    }


def test_of_a_loss_less_is_better_and_a_hundredth_is_a_point():
    folds = {"a": [0.10, 0.12], "b": [0.13, 0.15]}
    rows = by_method(compared(study_of(), rows_of(folds, metric="hamming_loss"))["scores"])
    assert rows["b"]["ahead"] == pytest.approx(-3.0)
    assert rows["a"]["best"]
    assert rows["a"]["mean"] == pytest.approx(0.11)


def test_one_split_is_tested_over_its_test_rows():
    rng = np.random.default_rng(0)
    base = rng.normal(90.0, 1.0, 1000)
    draws = {("one", "a", "top1"): base, ("one", "b", "top1"): base - rng.normal(1.0, 0.5, 1000)}
    rows = [("one", "a", "main", "top1", 90.0), ("one", "b", "main", "top1", 89.0)]
    b = by_method(compared(study_of(), rows, draws)["scores"])["b"]
    differences = draws["one", "b", "top1"] - base
    assert (b["over"], b["ahead"]) == ("rows", -1.0)
    assert [b["ahead_low"], b["ahead_high"]] == np.quantile(differences, [0.025, 0.975]).tolist()
    assert b["ahead_p"] == pytest.approx(2 * (np.sum(differences >= 0) + 1) / 1001)
    assert b["better"] == np.mean(differences > 1.0)


def test_one_split_without_draws_has_no_test():
    rows = [("one", "a", "main", "f1_micro", 90.0), ("one", "b", "main", "f1_micro", 89.9)]
    b = by_method(compared(study_of(), rows)["scores"])["b"]
    assert (b["over"], b["alike"]) == ("", False)
    assert np.isnan(b["ahead_p"])
    assert b["ahead"] == pytest.approx(-0.1)


SETS = ("one", "two", "three", "four", "five", "six")
GAINS = (1.0, 2.0, -1.0, 0.0, 3.0, 4.0)  # of b over a


def over_six(methods=("a", "b"), **more):
    rows = []
    for name, gain in zip(SETS, GAINS, strict=True):
        rows += rows_of({"a": [80.0, 81.0], "b": [80.0 + gain, 81.0 + gain]}, name)
    return study_of(SETS, methods, **more), rows


def test_over_sets_each_counts_once():
    study, rows = over_six()
    made = compared(study, rows)
    methods, (test,) = by_method(made["methods"]), made["tests"].to_dict("records")
    assert [methods["b"][name] for name in ("wins", "ties", "losses")] == [4, 1, 1]
    assert methods["b"]["mean_rank"] == pytest.approx((4 * 1 + 1.5 + 2) / 6)
    assert methods["b"]["ahead"] == 1.5
    differences = np.array(GAINS)
    assert methods["b"]["p"] == stats.wilcoxon(differences, zero_method="wilcox").pvalue
    assert (methods["b"]["ahead_low"], methods["b"]["ahead_high"]) == (-1.0, 4.0)
    assert (test["datasets"], test["missing"]) == (";".join(SETS), "")
    assert (test["nemenyi"], test["wilcoxon"]) == ("b;a", "b;a")
    assert methods["b"]["worse"] + methods["b"]["same"] + methods["b"]["better"] == pytest.approx(1)


def test_a_missing_cell_takes_its_set_out_by_name():
    study, rows = over_six()
    rows = [row for row in rows if row[:2] != ("two", "b")]
    made = compared(study, rows)
    (test,) = made["tests"].to_dict("records")
    assert test["missing"] == "two/b"
    assert "two" not in test["datasets"].split(";")
    assert by_method(made["methods"])["b"]["wins"] == 3
    assert {"two"} <= {*made["scores"]["dataset"]}


def test_a_method_without_any_cell_takes_no_set_out_and_is_named():
    study, rows = over_six(methods=("a", "b", "unfit"))
    made = compared(study, rows)
    (test,) = made["tests"].to_dict("records")
    assert (test["absent"], test["missing"], test["methods"]) == ("unfit", "", 2)
    assert test["datasets"].split(";") == [*SETS]


def test_a_method_for_some_sets_alone_takes_none_out():
    study, rows = over_six(only={"c": ("one",)})
    made = compared(study, [*rows, *rows_of({"c": [99.0, 99.0]})])
    (test,) = made["tests"].to_dict("records")
    assert (test["missing"], test["methods"]) == ("", 2)
    assert "c" not in by_method(made["methods"])
    assert made["scores"].query("method == 'c'")["best"].tolist() == [True]
    study, rows = over_six(only={"b": ("one",)})  # named by a pattern of `methods`, too
    (test,) = compared(study, [row for row in rows if row[:2] != ("two", "b")])["tests"].to_dict(
        "records"
    )
    assert (test["missing"], test["methods"]) == ("", 1)


def test_the_best_is_level_with_what_a_test_does_not_tell_from_it():
    """The signed ranks do not follow the mean ranks: c is last, and far ahead on three of 15 sets."""
    sets = [f"s{i}" for i in range(15)]
    rows = []
    for i, name in enumerate(sets):
        c = 78.0 - 0.01 * i if i < 12 else 95.0 + i
        rows += rows_of({"a": [80.0 + i] * 2, "b": [79.0 + 0.9 * i] * 2, "c": [c] * 2}, name)
    made = compared(study_of(sets, ("a", "b", "c")), rows)
    (test,) = made["tests"].to_dict("records")
    means = pd.DataFrame([row[:5] for row in rows]).groupby([0, 1])[4].mean().unstack()
    p = statistics.wilcoxon_holm(means.to_numpy())
    assert p[0, 1] <= 0.05 < p[0, 2]
    assert test["level"] == "c"


def test_below_five_sets_there_is_no_test_over_sets():
    study, rows = over_six()
    made = compared(study, [row for row in rows if row[0] in SETS[:4]])
    (test,) = made["tests"].to_dict("records")
    b = by_method(made["methods"])["b"]
    assert np.isnan([test["friedman_p"], b["p"], b["better"], b["ahead_low"]]).all()
    assert [b[name] for name in ("wins", "ties", "losses")] == [2, 1, 1]


def test_the_reference_is_the_named_method_or_else_the_first():
    for reference, other in ((None, "a"), ("b", "b")):
        study, rows = over_six(reference=reference)
        (test,) = compared(study, rows)["tests"].to_dict("records")
        assert test["reference"] == other
    with pytest.raises(Fault, match=r"studies\.s\.reference: unknown method 'aa'"):
        study_of(reference="aa").with_methods(["a", "b"])


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        (["f1_macro"], "unknown metric of one label per row 'f1_macro'; did you mean macro_f1"),
        (["top0"], "unknown metric of one label per row 'top0'"),
        (["balanced_acuracy"], "did you mean balanced_accuracy"),
        (["top1", "top1"], "'top1' stands there twice"),
    ],
)
def test_a_metric_that_does_not_fit_or_stands_twice_is_refused(repository, metrics, said):
    study = {"title": "S", "datasets": ["letter"], "methods": ["lr_multi"], "metrics": metrics}
    with pytest.raises(ValueError, match=rf"stud.*\bs\b.*metrics: .*{said}"):
        load_catalogue(repository, {"studies": {"s": study}})


def test_a_study_shows_its_metrics_alone():
    study = study_of(metrics=("macro_f1",))
    made = compared(study, [*rows_of(FOLDS), *rows_of(FOLDS, metric="macro_f1")])
    assert made["tests"]["metric"].tolist() == ["macro_f1"]


def test_variants_other_draws_and_parts_of_the_map_do_not_count():
    study = study_of(("one", "one_seeds"), ("a", "b"))
    catalogue = catalogue_of(study)
    catalogue.other_draws = {"one_seeds"}
    catalogue.methods["b"] = SimpleNamespace(variant_of="a", label="B")
    rows = [*rows_of(FOLDS), *rows_of(FOLDS, "one_seeds"), *rows_of(FOLDS, metric="ap_cat")]
    made = compare_methods(evaluations(*rows), catalogue, ["s"], {}, {"one": 0.2})
    assert made["scores"][["dataset", "metric", "method"]].to_numpy().tolist() == [
        ["one", "top1", "a"]
    ]


def test_a_study_may_name_each_metric_that_is_measured():
    of_one_label, of_sets = catalogue._METRICS["multiclass"], catalogue._METRICS["multilabel"]
    at_k = [f"{name}_at_<k>" for name in measures._AT_K]
    assert {*of_one_label} == {"top<k>", *measures._OF_ONE_LABEL}
    assert {*of_sets} == {*measures.PARTITION, *measures._OF_ORDER, "one_error_loss", *at_k}
