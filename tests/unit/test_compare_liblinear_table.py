"""The table of our own one-vs-all beside LIBLINEAR."""

import pandas as pd

from toplabel.reproduction.compare import liblinear_table

TITLES = {"letter": "Letter"}
LABELS = {"svm_ova": "SVM^{OVA}", "lr_ova": "LR^{OVA}"}


def _frame():
    rows = [
        ("letter", "svm_ova", 0.1, 2.0, 2.0002, 1e-4, 0.10, 1),
        ("letter", "lr_ova", 1.0, 3.0, 2.9994, -2e-4, 0.04, 1),
        ("usps", "svm_ova", 10.0, 1.0, 1.5, 0.5, 9.0, 0),
    ]
    names = ["dataset", "method", "C", "ours", "liblinear", "difference", "accuracy_difference"]
    return pd.DataFrame(rows, columns=[*names, "finished"])


def test_a_row_a_set_loss_and_C():
    found = liblinear_table.table_of(_frame(), LABELS, TITLES).frame
    assert found.iloc[0].tolist() == [
        *("letter", "SVM^{OVA}", "0.1", "2", "2.0002", "+1.0e-04", "0.10", "yes")
    ]
    assert found["both converged"].tolist() == ["yes", "yes", "no"]


def test_the_caption_speaks_of_what_converged():
    text = liblinear_table.caption(_frame(), LABELS, TITLES)
    assert "objective 0.0002 (Letter, LR^{OVA}, C = 1)" in text
    assert "accuracy 0.1 points (Letter, SVM^{OVA}, C = 0.1)" in text
    assert liblinear_table.caption(_frame().iloc[2:], LABELS, TITLES).endswith(
        "Nowhere did both converge."
    )
