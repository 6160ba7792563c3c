"""Labels, numbers, score and SVG: the small pieces that both reports are made of."""

from __future__ import annotations

import csv
import io
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toplabel._core.files import FileError
from toplabel.reproduction.report import labels, numbers
from toplabel.reproduction.report.exported import without_formulas
from toplabel.reproduction.report.html import label_markup
from toplabel.reproduction.report.score import in_words, score_of, sum_of
from toplabel.reproduction.report.svg import share_of
from toplabel.reproduction.report.words import say


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        (("svm_ova",), "SVM^{OVA}"),
        (("svm_multi", "", "0"), "SVM^{Multi}"),
        (("svm_multi", "", "1"), "SVM^{Multi}_{1}"),
        (("topk_svm_alpha", "5", "1.0"), "top-5 SVM^{α}_{1}"),
        (("topk_ent_tr", "10"), "top-10 Ent_{tr}"),
        (("topk_svm_beta", "", "0"), "top-k SVM^{β}"),
        (("lr_ml", "", "", "rbf"), "LR^{ML} (RBF)"),
        (("recall_at_k", "10"), "Recall@10"),
        (("a_new_loss", "", "0.5"), "a_new_loss_{0.5}"),
    ],
)
def test_method_labels(keys: tuple[str, ...], label: str) -> None:
    assert labels.method_label(*keys) == label


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("top10", "Top-10"),
        ("p_at_3", "P@3"),
        ("r_at_10", "R@10"),
        ("ap_tv", "tv"),
        ("map", "mAP"),
        ("new", "new"),
    ],
)
def test_metric_labels(metric: str, label: str) -> None:
    assert labels.metric_label(metric) == label


@given(st.text())
def test_segments_keep_the_text(text: str) -> None:
    """Nothing but the marks themselves is lost."""
    joined = "".join(inner for _, inner in labels.segments(text))
    stripped = text
    for mark in "^_{}":
        joined, stripped = joined.replace(mark, ""), stripped.replace(mark, "")
    assert joined == stripped


def test_a_name_and_its_scripts_stay_together() -> None:
    assert label_markup("of top-2 SVM^{α}_{1}, or LR^{ML}") == (
        'of top-2 <span class="nb">SVM<span class="ss"><sup>α</sup><sub>1</sub></span></span>'
        ', or <span class="nb">LR<sup>ML</sup></span>'
    )


@given(st.text(alphabet="<>&\"'^_{}ab"))
def test_labels_are_escaped(text: str) -> None:
    markup = str(label_markup(text))
    for tag in ("sup", "sub", 'span class="ss"', 'span class="nb"', "span"):
        markup = markup.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    assert "<" not in markup
    assert ">" not in markup


def test_tables_in_the_order_of_the_papers() -> None:
    tables = [
        ("nips2012", "2"),
        ("cvpr2016", "10"),
        ("cvpr2016", "7"),
        ("other", "A"),
        ("tpami2017", "5"),
    ]
    ordered = sorted(tables, key=lambda pair: labels.table_order(*pair))
    assert [f"{s} {t}" for s, t in ordered] == [
        "tpami2017 5",
        "cvpr2016 7",
        "cvpr2016 10",
        "nips2012 2",
        "other A",
    ]


@pytest.mark.parametrize(
    ("metric", "published", "decimals"),
    [
        ("top1", "76.5", 1),
        ("top1", "93", 1),
        ("top1", "65.15", 2),
        ("rank_loss", "0.3", 3),
        ("rank_loss", "0.352", 3),
        ("top1", "12.300000000000001", 1),
        ("top1", "", 1),
    ],
)
def test_decimals(metric: str, published: str, decimals: int) -> None:
    assert numbers.decimals_of(metric, published) == decimals


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_signed_reads_back(value: float, decimals: int) -> None:
    text = numbers.signed(value, decimals)
    back = float(text.replace("−", "-"))
    assert back == pytest.approx(value, abs=0.5000001 * 10.0**-decimals)
    assert (text[0] == "+") == (back > 0)
    assert (text[0] == "−") == (back < 0)


def test_nan_is_empty() -> None:
    nan = math.nan
    assert [
        numbers.fixed(nan, 1),
        numbers.signed(nan, 1),
        numbers.compact(nan),
        numbers.small(nan),
    ] == [""] * 4
    assert numbers.duration(nan) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.25, "0.25 s"), (754.2, "12 min 34 s"), (7260, "2 h 01 min"), (119.7, "2 min 00 s")],
)
def test_duration(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.03125, "0.03125"),
        (1000, "1\u202f000"),
        (1e4, "10\u202f000"),
        (2.0**20, "1\u202f049\u202f000"),
        (1e-5, "1e−05"),
    ],
)
def test_parameters_are_written_in_one_way(value: float, text: str) -> None:
    assert numbers.compact(value) == text
    assert numbers.compact(-value) == f"−{text}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-4.3e-05", "−4.3e−05"),
        ("20000", "20\u202f000"),
        ("1\u2009000", "1\u202f000"),
        ("12345.5 ± 1.5", "12\u202f345.5 ± 1.5"),
        ("1.17.1", "1.17.1"),
        ("2017-03-01", "2017-03-01"),
    ],
)
def test_plain_numbers_as_they_are_read(text: str, shown: str) -> None:
    assert numbers.shown(text) == shown
    assert numbers.shown(shown) == shown


def test_a_column_lines_up_at_its_decimal_points() -> None:
    column = numbers.aligned(["0.25", "", "−10", "1\u202f000.5", "—"])
    assert column is not None
    tails = [text[len(text.partition(".")[0].rstrip()) :] for text in column if text.strip("—")]
    assert {len(tail) for tail in tails} == {3}
    assert [text.strip() for text in column] == ["0.25", "", "−10", "1\u202f000.5", "—"]
    assert numbers.aligned(["1", "yes"]) is None
    assert numbers.aligned(["", ""]) is None


def test_minus_zero_has_no_sign() -> None:
    assert numbers.fixed(-0.04, 1) == "0.0"
    assert numbers.signed(0.04, 1) == "0.0"


def test_score_counts() -> None:
    nan = math.nan
    cells = pd.DataFrame(
        {
            "published": [1.0, 2.0, 3.0, 4.0, nan],
            "measured": [1.0, nan, 3.0, 9.0, 5.0],
            "verdict": ["match", "", "match", "off", ""],
        }
    )
    score = score_of(cells)
    assert (score["published"], score["comparable"]) == (4, 3)
    assert {key: n for key, n in score["by_verdict"].items() if n} == {"match": 2, "off": 1}
    headline = "3 of 4 published numbers are measured here: 2 within 0.5 points."
    assert say("headline", score) == headline
    assert sum_of([score, score])["by_verdict"]["match"] == 4
    files = ["a", "b", "a", "c", "a"]
    again = score_of(cells.assign(file=files, metric="top1"))
    several = "Not reproduced: 1 (1 off). 2 measurements: some cells are printed several times."
    assert say("detail", again) == several
    once = score_of(cells.assign(file=files, metric=["top1", "top1", "top2", "top1", "top1"]))
    assert say("detail", once) == say("detail", score) == "Not reproduced: 1 (1 off)."


def test_numbers_far_from_print_are_not_reproduced_whatever_their_direction() -> None:
    counts = {"match": 5, "close": 2, "higher": 1, "lower": 1, "off": 12}
    far = "1 higher than printed, 1 lower than printed, 12 off"
    assert in_words(counts) == f"5 match, 2 close; not reproduced: 14 ({far})"
    assert in_words({"match": 5}) == "5 match"
    assert in_words({"off": 3}) == "not reproduced: 3 (3 off)"
    assert in_words({}) == ""


@pytest.mark.parametrize(
    ("splits", "draws"),
    [
        ((10, 10), "10 draws"),
        ((10, 5), "the draws"),
        ((math.nan, 10), "the draws"),  # the first one is of the kept run
        ((math.nan, math.nan), "the draws"),
    ],
)
def test_what_lies_within_the_spread_is_counted_apart(splits: tuple, draws: str) -> None:
    cells = pd.DataFrame({"published": [1.0] * 3, "measured": [1.0] * 3})
    cells = cells.assign(verdict=["spread", "spread", "close"], splits=[*splits, 10])
    score = score_of(cells)
    assert score["by_verdict"]["match"] == 0
    ending = f"0 within 0.5 points, 2 more within the spread of {draws}."
    assert say("headline", score).endswith(ending)
    assert say("detail", score) == "1 close."


def test_score_of_one_and_of_none() -> None:
    one = pd.DataFrame({"published": [1.0], "measured": [1.0], "verdict": ["match"]})
    begins = "1 of 1 published numbers is measured here: 1 within"
    assert say("headline", score_of(one)).startswith(begins)
    none = "There is no published number to compare with."
    assert say("headline", score_of(one.iloc[:0])) == none


@pytest.mark.parametrize(
    ("match", "close", "off", "budget", "own", "word"),
    [
        (8, 1, 1, "standard", 0, "Agrees"),
        (7, 1, 2, "standard", 0, "Partly"),
        (4, 1, 5, "paper", 0, "Partly"),
        (4, 0, 6, "standard", 0, "Disagrees"),
        (9, 0, 1, "quick", 0, "Not testable"),
        (0, 0, 0, "standard", 0, "Not testable"),
        (0, 0, 0, "standard", 3, "Own data"),
        (8, 1, 1, "standard", 3, "Agrees"),
    ],
)
def test_a_run_is_answered_in_a_word(match, close, off, budget, own, word):
    verdicts = ["match"] * match + ["close"] * close + ["off"] * off
    cells = pd.DataFrame({"verdict": verdicts, "published": 1.0, "measured": 1.0})
    assert say("answer", score_of(cells), budget, own) == word


@pytest.mark.parametrize(
    ("box", "share"), [("0 0 518.4 100", 1.0), ("0 0 259.2 100", 0.5), ("0 0 518.4 1324.8", 0.5)]
)
def test_letters_have_one_size_in_all_figures(box: str, share: float) -> None:
    assert share_of(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}"/>', "f") == share


@pytest.mark.parametrize(
    ("text", "message"),
    [("<svg", "line 1: not well-formed XML"), ("<html/>", "the outermost element is not <svg>")],
)
def test_not_svg(text: str, message: str) -> None:
    with pytest.raises(FileError, match=f"^figures/f.svg.*{message}$"):
        share_of(text, "f")


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ('=HYPERLINK("http://example.org";"x")', '\'=HYPERLINK("http://example.org";"x")'),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-", "'-"),
        ("-4.3e-05", "-4.3e-05"),
        ("+7", "+7"),
        ("−3", "−3"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_no_cell_of_an_exported_file_is_a_formula(cell, safe):
    def written(text):
        out = io.StringIO(newline="")
        csv.writer(out).writerows([["a", "b"], [text, "1"]])
        return out.getvalue()

    assert without_formulas(written(cell)) == written(safe)
    assert without_formulas(written(safe)) == written(safe)


def test_an_exported_file_without_formulas_keeps_its_bytes():
    text = 'a,"b"\r\n"1",-2\r\n'
    assert without_formulas(text) == text
