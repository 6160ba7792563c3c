"""The one frame of a run: measured numbers beside printed ones."""

import math

import pytest

from samples_of_results import KEPT, MEASURED, PUBLISHED, built, noted
from toplabel.reproduction.compare.cells import compared, measurements
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.documents import validate
from toplabel.reproduction.config.notes import Reading

SVM = "letter,,svm_multi,,0,linear,top1,76.5,"


@pytest.fixture
def build(catalogue, tmp_path):
    """Build a frame of printed and measured numbers."""
    return lambda printed, *measured, **more: built(catalogue, tmp_path, printed, measured, **more)


def measured_rows(cells):
    return cells[cells["run"] == MEASURED]


def test_a_measured_number_stands_beside_the_printed_one(build):
    cells = build([SVM], ("letter", "svm_multi", "main", "top1", 76.25, {"C": 2.0}))
    printed, row = cells.to_dict("records")
    assert (printed["run"], printed["value"], printed["printed"]) == (PUBLISHED, 76.5, "76.5")
    assert (row["run"], row["value"], row["printed"]) == (MEASURED, 76.25, "76.5")
    assert (row["difference"], row["verdict"], row["C"]) == (-0.25, "match", 2.0)
    assert (row["config_dataset"], row["config_method"]) == ("letter", "svm_multi")
    assert (row["label"], row["budget"], row["splits"]) == ("SVM^{Multi}", "standard", 1)
    assert math.isnan(row["std"])


def test_several_splits_are_reduced_to_a_row(build):
    rows = [
        ("circle", "lr_multi", "a", "top1", 50.0, {"C": 4.0, "relative_gap": 1e-5, "epochs": 1}),
        ("circle", "lr_multi", "b", "top1", 53.0, {"C": 1.0, "relative_gap": 1e-3, "epochs": 2}),
        ("circle", "lr_multi", "c", "top1", 56.0, {"C": 8.0, "status": "max_iter", "epochs": 4}),
        ("circle", "lr_multi", "d", "top1", 57.0, {"C": 64.0, "epochs": 8}),
    ]
    (row,) = measured_rows(build([SVM], *rows)).to_dict("records")
    assert (row["value"], row["splits"], row["epochs"], row["seconds"]) == (54.0, 4, 15, 8.0)
    assert row["std"] == pytest.approx(math.sqrt((16 + 1 + 4 + 9) / 3))
    assert row["C"] == 4.0  # the lower median: a value that was used
    assert (row["relative_gap"], row["status"]) == (1e-3, "max_iter")


def test_a_result_that_is_no_number_is_refused(build):
    with pytest.raises(ValueError, match="letter/svm_ova, split 'a': top1 is no number"):
        build([SVM], ("letter", "svm_ova", "a", "top1", math.nan))


def test_numbers_meet_under_the_canonical_key_at_every_place(build):
    printed = [
        "letter,,topk_svm_alpha,1,0,linear,top1,76.5,",
        SVM + " cvpr2016",
        "letter,,topk_svm_beta,1,1,linear,top1,76.8,",
        "letter,,svm_multi,,0,linear,top3,90.1,",
    ]
    cells = build(
        printed,
        ("letter", "svm_multi", "main", "top1", 76.4),
        ("letter", "svm_multi_smooth", "main", "top1", 70.0),
        ("letter", "lr_multi", "main", "top1", 75.0),
    )
    rows = measured_rows(cells)
    places = rows[["source", "method", "k", "value", "verdict"]].to_numpy().tolist()
    assert places == [
        ["cvpr2016", "svm_multi", "", 76.4, "match"],
        ["tpami2017", "topk_svm_alpha", "1", 76.4, "match"],
        ["tpami2017", "topk_svm_beta", "1", 70.0, "off"],
        ["", "lr_multi", "", 75.0, ""],
    ]
    assert measurements(cells)["value"].tolist() == [76.4, 70.0, 75.0]


def test_a_hamming_loss_that_an_empty_prediction_matches_has_no_verdict(build):
    printed = [
        "corel5k,,lr_ml,,,linear,hamming_loss,0.009,",
        "corel5k,,svm_ml,,0,linear,hamming_loss,0.013,",
    ]
    cells = build(
        printed,
        ("corel5k", "lr_ml", "main", "hamming_loss", 0.009),
        ("corel5k", "svm_ml", "main", "hamming_loss", 0.0147),
    )
    rows = measured_rows(cells)
    assert rows["verdict"].tolist() == ["", "off"]
    assert rows["difference"].round(4).tolist() == [0.0, 0.0017]


def test_every_set_with_a_printed_hamming_loss_has_that_of_an_empty_prediction(catalogue):
    published = load_published(catalogue.published)
    printed = {*published.loc[published["metric"] == "hamming_loss", "dataset"]}
    losses = [catalogue.registry[name].empty_hamming_loss for name in printed]
    assert min(losses) == pytest.approx(0.0094, abs=5e-5)
    assert max(losses) == pytest.approx(1.87 / 6)


def test_features_must_be_those_of_the_printed_number(build):
    cells = build(
        [
            "cub,vgg16_fc7,svm_multi,,0,linear,top1,61.0,",
            "cub,alexnet_fc7,svm_multi,,0,linear,top1,50.0,",
            "cub,alexnet_fc7,lr_multi,,,linear,top1,50.0,",
        ],
        ("cub", "svm_multi", "main", "top1", 61.0),
    )
    assert compared(cells)["features"].tolist() == ["vgg16_fc7"]
    notes = cells.loc[cells["run"] == PUBLISHED, "note"].tolist()
    assert notes == ["", "measured with the features vgg16_fc7", ""]


def test_a_set_has_the_papers_name_and_only_some_papers_use_it(build):
    """letter_raw is letter as NIPS 2012 has it."""
    printed = [SVM, "letter,,svm_multi,,0,linear,top1,50.1, nips2012"]
    cells = build(printed, ("letter_raw", "svm_multi", "main", "top1", 50.0))
    rows = compared(cells)
    assert rows[["source", "dataset", "config_dataset", "verdict"]].to_numpy().tolist() == [
        ["nips2012", "letter", "letter_raw", "match"]
    ]


def test_two_results_for_one_printed_number_are_refused(build, monkeypatch):
    monkeypatch.setattr(Registry, "published_key", lambda self, name: "letter")
    rows = [(name, "svm_multi", "main", "top1", 1.0) for name in ("letter", "usps")]
    with pytest.raises(ValueError, match="letter/svm_multi and usps/svm_multi"):
        build([SVM], *rows)


def test_what_is_not_comparable_stands_beside_nothing(build):
    cells = build(
        [SVM],
        ("letter", "svm_multi", "main", "top1", 76.5),
        not_compared={"letter": "synthetic features"},
    )
    printed, row = cells.to_dict("records")
    assert printed["note"] == row["note"] == "not compared: synthetic features"
    assert (row["source"], row["verdict"]) == ("", "")


def test_linear_methods_on_vectors_made_of_kernels_are_those_of_the_kernels(build, catalogue):
    name, entry = next((n, e) for n, e in catalogue.registry.items() if "_kernels" in e.features)
    printed = f"{entry.published_key},{entry.features},svm_multi,,0,precomputed,top1,79.9,"
    cells = build([printed], (name, "svm_multi", "main", "top1", 80.0))
    assert compared(cells)["verdict"].tolist() == ["match"]


@pytest.mark.parametrize(("printed_std", "expected"), [("", "spread"), ("1.0", "off")])
def test_several_draws_are_compared_by_their_spread(build, printed_std, expected):
    values = (50.0, 60.0, 55.0) * 3
    rows = [("circle", "svm_multi", str(i), "top1", value) for i, value in enumerate(values)]
    cells = build([f"circle,,svm_multi,,0,linear,top1,58.9,{printed_std}"], *rows)
    (row,) = compared(cells).to_dict("records")
    assert row["verdict"] == expected  # 55 +- 4.33, as a draw and as a mean of nine
    assert row["std"] == pytest.approx(math.sqrt(18.75))


@pytest.mark.parametrize(("printed", "expected"), [("0.460", "true"), ("0.461", "false")])
def test_other_draws_of_the_folds_stand_beside_the_number(build, printed, expected):
    """A mean of 0.4, a deviation of 0.012: 4.303 of them times sqrt(4/3) is 0.0596."""
    text = f"yeast,,svm_ml,,0,linear,rank_loss,{printed},"
    again = [
        ("yeast_seeds", "svm_ml", str(i), "rank_loss", v) for i, v in enumerate((0.388, 0.4, 0.412))
    ]
    own = ("yeast", "svm_ml", "main", "rank_loss", 0.41)
    row = compared(build([text], own, *again)).iloc[0]
    assert (row["value"], row["seeds"], row["in_seeds"]) == (0.41, 3, expected)
    assert row["seeds_mean"] == pytest.approx(0.4)
    assert row["seeds_std"] == pytest.approx(0.012)
    # Of another budget they are no draws of this number.
    coarse = [(*one, {"budget": "quick"}) for one in again]
    row = compared(build([text], own, *coarse)).iloc[0]
    assert row["in_seeds"] == ""
    assert math.isnan(row["seeds"])


@pytest.mark.parametrize(("printed", "expected"), [("75.0", "true"), ("74.9", "false")])
def test_the_interval_over_test_rows_stands_beside_the_number(build, printed, expected):
    draws = {("letter", "svm_multi", "top1"): [74.95 + 0.02 * i for i in range(101)]}
    text = SVM.replace("76.5", printed)
    row = compared(build([text], ("letter", "svm_multi", "main", "top1", 76.0), draws=draws)).iloc[
        0
    ]
    assert [row["rows_low"], row["rows_high"]] == pytest.approx([75.0, 76.9])
    assert row["in_rows"] == expected


def reading_of(name, **changes):
    words = dict.fromkeys(("title", "stated", "found", "evidence"), "words")
    given = words | {"name": name, "tables": ["table05"]}
    return validate(given | changes, Reading)


def test_numbers_under_another_reading_and_of_variants_are_rows_too(build):
    notes = noted(
        readings={
            name: reading_of(name, methods={"topk_ent_tr_k2": target})
            for name, target in (("none", "lr_ova"), ("found", "topk_ent_tr_k2_gd100"))
        }
    )
    cells = build(
        ["letter,,topk_ent_tr,2,,linear,top1,70.1,", SVM],
        ("letter", "topk_ent_tr_k2", "main", "top1", 67.0),
        ("letter", "topk_ent_tr_k2_gd100", "main", "top1", 69.9),
        ("letter", "svm_multi", "main", "top1", 76.5),
        notes=notes,
    )
    columns = ["reading", "source", "method", "printed", "value", "verdict", "config_method"]
    assert measured_rows(cells)[columns].to_numpy().tolist() == [
        ["", "tpami2017", "topk_ent_tr", "70.1", 67.0, "off", "topk_ent_tr_k2"],
        ["", "tpami2017", "svm_multi", "76.5", 76.5, "match", "svm_multi"],
        ["", "", "topk_ent_tr_k2_gd100", "", 69.9, "", "topk_ent_tr_k2_gd100"],
        ["found", "tpami2017", "topk_ent_tr", "70.1", 69.9, "match", "topk_ent_tr_k2_gd100"],
        ["variant", "tpami2017", "topk_ent_tr", "70.1", 69.9, "match", "topk_ent_tr_k2_gd100"],
    ]


def test_the_kept_run_is_part_of_the_frame(build):
    kept = build([SVM], ("letter", "svm_multi", "main", "top1", 80.0)).iloc[1:].assign(run=KEPT)
    cells = build([SVM], ("letter", "svm_multi", "main", "top1", 76.5), kept=kept)
    assert compared(cells)["verdict"].tolist() == ["match"]
    assert compared(cells, KEPT)[["value", "verdict"]].to_numpy().tolist() == [[80.0, "higher"]]


def test_reasons_are_given_to_the_numbers_that_differ(build, catalogue):
    notes = noted(reason_of=lambda row: (reading_of("why", metrics={"a": "b"}), None))
    measured = [("letter", "svm_multi", "main", "top1", v) for v in (76.5, 60.0)]
    reasons = [compared(build([SVM], row, notes=notes))["reason"].iloc[0] for row in measured]
    assert reasons == ["", "why"]


def test_nothing_measured_leaves_the_printed_numbers(build):
    cells = build([SVM])
    assert cells["run"].tolist() == [PUBLISHED]
    assert compared(cells).empty
