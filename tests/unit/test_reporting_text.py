"""Labels, numbers and scores as text."""

from __future__ import annotations

import math
from html import unescape

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toplabel.reproduction.compare.published import decimals_of, method_label
from toplabel.reproduction.config.keys import Key
from toplabel.reproduction.report.findings import in_words, score_of
from toplabel.reproduction.report.render import label_markup
from toplabel.reproduction.report.text import (
    are_numbers,
    compact,
    fixed,
    metric_label,
    shown,
    signed,
    small,
    table_order,
)


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        (("svm_ova",), "SVM^{OVA}"),
        (("svm_multi", "", "0"), "SVM^{Multi}"),
        (("topk_svm_alpha", "5", "1.0"), "top-5 SVM^{α}_{1}"),
        (("topk_svm_beta", "1", "0"), "top-1 SVM^{β}"),
        (("lr_ml", "", "", "rbf"), "LR^{ML} (RBF)"),
        (("recall_at_k", "10"), "Recall@10"),
        (("homer", "", "", "rbf"), "HOMER (RBF)"),
        (("a_new_loss", "", "0.5"), "a_new_loss_{0.5}"),
    ],
)
def test_method_labels(keys: tuple[str, ...], label: str) -> None:
    """A loss has its parameters, another method the label of methods.yaml."""
    row = dict(zip(("method", "k", "gamma", "kernel"), (*keys, "", "", ""), strict=False))
    known = {Key("recall_at_k", "10", "", ""): "Recall@10", Key("svm_multi", "", "0", ""): "no"}
    assert method_label(row, known) == label


@pytest.mark.parametrize(
    ("metric", "label"),
    [("top10", "Top-10"), ("p_at_3", "P@3"), ("ap_tv", "tv"), ("map", "mAP"), ("new", "new")],
)
def test_metric_labels(metric: str, label: str) -> None:
    assert metric_label(metric) == label


@given(st.text(alphabet="<>&\"'^_{}ab"))
def test_labels_are_escaped_and_keep_their_text(text: str) -> None:
    markup = str(label_markup(text))
    for tag in ("sup", "sub", 'span class="ss"', 'span class="nb"', "span"):
        markup = markup.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    assert "<" not in markup
    assert ">" not in markup
    joined = unescape(markup)
    assert [joined.count(letter) for letter in "ab<"] == [text.count(letter) for letter in "ab<"]


def test_a_name_and_its_scripts_stay_together() -> None:
    assert label_markup("top-2 SVM^{α}_{1}") == (
        'top-2 <span class="nb">SVM<span class="ss"><sup>α</sup><sub>1</sub></span></span>'
    )


def test_tables_stand_in_the_order_of_the_papers() -> None:
    tables = [("nips2012", "2"), ("cvpr2016", "10"), ("cvpr2016", "7"), ("tpami2017", "5")]
    ordered = sorted(tables, key=lambda pair: table_order(*pair))
    assert ordered == [("tpami2017", "5"), ("cvpr2016", "7"), ("cvpr2016", "10"), ("nips2012", "2")]


@pytest.mark.parametrize(
    ("metric", "published", "decimals"),
    [
        ("top1", "76.5", 1),
        ("top1", "93", 1),
        ("top1", "65.15", 2),
        ("rank_loss", "0.3", 3),
        ("top1", "12.300000000000001", 1),
    ],
)
def test_numbers_have_the_decimals_of_the_papers(metric, published, decimals) -> None:
    assert decimals_of(metric, published) == decimals


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_signed_number_reads_back(value: float, decimals: int) -> None:
    text = signed(value, decimals)
    back = float(text.replace("−", "-"))
    assert back == pytest.approx(value, abs=0.5000001 * 10.0**-decimals)
    assert (text[0] == "+") == (back > 0)
    assert (text[0] == "−") == (back < 0)


def test_nan_is_empty() -> None:
    for write in (compact, small):
        assert write(math.nan) == ""
    assert fixed(math.nan, 1) == signed(math.nan, 1) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.03125, "0.03125"), (1e4, "10\u202f000"), (2.0**20, "1\u202f049\u202f000"), (1e-5, "1e−05")],
)
def test_parameters_are_written_in_one_way(value: float, text: str) -> None:
    assert compact(value) == text
    assert compact(-value) == f"−{text}"


@pytest.mark.parametrize(
    ("gap", "text"), [(3.14e-4, "3.1e−04"), (0.0, "0"), (-9.9e-16, "0"), (0.02, "2.0e−02")]
)
def test_gaps(gap: float, text: str) -> None:
    assert small(gap) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [("-4.3e-05", "−4.3e−05"), ("20000", "20\u202f000"), ("1.17.1", "1.17.1"), ("a-b", "a-b")],
)
def test_numbers_of_files_as_they_are_read(text: str, printed: str) -> None:
    assert shown(text) == printed


def test_columns_of_numbers_are_known() -> None:
    assert are_numbers(["0.25", "", "−10", "1\u202f000.5", "—"])
    assert not are_numbers(["1", "yes"])
    assert not are_numbers(["", ""])


def test_cells_are_counted_by_verdict() -> None:
    score = score_of(pd.DataFrame({"verdict": ["match", "match", "higher", "off", ""]}))
    assert (score["comparable"], score["match"]) == (4, 2)
    far = "1 higher than printed, 1 off"
    assert in_words(score) == f"2 match; not reproduced: 2 ({far})"
