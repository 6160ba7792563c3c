"""The example of docs/torch.md trains to the result that is printed there, twice the same."""

import re


def test_the_example_trains_to_its_result(repository, capsys):
    text = (repository / "docs/torch.md").read_text(encoding="utf-8")
    (example,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "manual_seed" in block
    ]
    weights = []
    for _ in range(2):
        names: dict = {}
        exec(example, names)
        weights.append([p.detach().numpy().tobytes() for p in names["network"].parameters()])
    assert weights[0] == weights[1]
    accuracy = float(names["found"]) * 100
    printed = float(re.search(r"prints `top-3 accuracy ([\d.]+)`", text).group(1))
    assert abs(accuracy - printed) < 1.0  # other builds of PyTorch round otherwise
    assert f"top-3 accuracy {accuracy:.1f}" in capsys.readouterr().out
