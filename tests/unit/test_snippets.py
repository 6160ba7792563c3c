"""Every example of the README and of the pages in docs/ runs as it is printed, alone.

What is fenced as ``python`` runs; the examples of PyTorch run in ``tests/pytorch``.
"""

import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SNIPPETS = {
    f"{page.relative_to(ROOT)}:{text[: block.start()].count(chr(10)) + 1}": block[1]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for text in [page.read_text(encoding="utf-8")]
    for block in BLOCK.finditer(text)
}
WITHOUT_TORCH = {place: code for place, code in SNIPPETS.items() if "import torch" not in code}


@pytest.mark.parametrize("place", WITHOUT_TORCH)
def test_an_example_runs_alone(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(SNIPPETS[place], place, "exec"), {})


def test_no_page_is_without_a_language(repository):
    fences = re.compile(r"^```(\w*|\{[\w:-]+\}.*)$", re.MULTILINE)
    for page in [repository / "README.md", *(repository / "docs").glob("*.md")]:
        opened = fences.findall(page.read_text(encoding="utf-8"))[::2]
        assert "" not in opened, page.name


def test_the_example_of_the_readme_is_certified(capsys):
    (code,) = [code for place, code in SNIPPETS.items() if place.startswith("README")]
    exec(code, {})
    accuracy, gap = map(float, capsys.readouterr().out.split())
    assert accuracy > 0.98
    assert 0 <= gap <= 1e-3
