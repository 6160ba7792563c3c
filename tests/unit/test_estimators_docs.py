"""The examples of docs/estimators.md run, in their order."""

import re
import warnings


def test_the_examples_run(repository):
    text = (repository / "docs/estimators.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 10
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks:
            exec(block, names)
    assert names["best"].shape == (len(names["X_test"]), 3)
    assert abs(names["labels"].sum() - names["Y_test"].sum()) < 0.2 * names["Y_test"].sum()
    assert names["path"].C == 1e-2
