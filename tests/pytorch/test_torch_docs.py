"""The examples of docs/pytorch.md run alone; one trains to its printed result, twice the same. The
adapter of docs/extend.md makes a loss of the solver of a function of PyTorch.
"""

import re
from functools import partial

import pytest
import torch
from sklearn.datasets import load_digits, make_multilabel_classification
from torch.nn import functional

import toplabel


@pytest.fixture
def examples(repository):
    text = (repository / "docs/pytorch.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_examples_run_alone(examples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(examples) == 3
    for example in examples:
        exec(example, {})
    assert (tmp_path / "data/raw/my_set/train.npy").exists()


def test_the_example_trains_to_its_result(repository, examples, capsys):
    (example,) = [block for block in examples if "manual_seed" in block]
    weights = []
    for _ in range(2):
        names: dict = {}
        exec(example, names)
        weights.append([p.detach().numpy().tobytes() for p in names["network"].parameters()])
    assert weights[0] == weights[1]
    accuracy = float(names["found"]) * 100
    text = (repository / "docs/pytorch.md").read_text(encoding="utf-8")
    printed = float(re.search(r"prints `top-3 accuracy ([\d.]+)`", text).group(1))
    assert abs(accuracy - printed) < 1.0  # other builds of PyTorch round otherwise
    assert f"top-3 accuracy {accuracy:.1f}" in capsys.readouterr().out


LOSSES = {
    "lr_multi": (partial(functional.cross_entropy, reduction="none"), "one"),
    "lr_ova": (
        lambda s, Y: functional.binary_cross_entropy_with_logits(
            s, Y.double(), reduction="none"
        ).sum(1),
        "set",
    ),
}


@pytest.mark.parametrize("key", LOSSES)
def test_the_adapter_has_the_optimum_of_the_same_loss_of_the_library(repository, key):
    text = (repository / "docs/extend.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"in a class as above:\n\n((?:(?: {4}.*)?\n)+)", text)
    function, labels = LOSSES[key]
    names = {"f": function, "torch": torch}
    exec(f"class Mine:\n    labels = {labels!r}\n{lines}", names)
    X, y = load_digits(return_X_y=True)
    if labels == "set":
        X, y = make_multilabel_classification(n_samples=400, n_classes=6, random_state=0)
    problem = {"X": X / X.max(), "y": y, "C": 1.0, "tol": 1e-6}
    found, known = (toplabel.solve(loss=loss, **problem) for loss in (names["Mine"](), key))
    assert found.status == known.status == "converged"
    assert found.primal == pytest.approx(known.primal, rel=1e-5)
