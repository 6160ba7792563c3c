"""The examples of docs/pytorch.md run alone; one trains to its printed result, twice the same."""

import re

import pytest


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
