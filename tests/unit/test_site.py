"""The pages of the site name every loss and every public function."""

import re
from importlib import import_module

import toplabel


def test_the_table_of_losses_has_each_with_its_parameters(repository):
    text = (repository / "docs/losses.md").read_text(encoding="utf-8").partition("\n## ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE)]
    assert sorted(row[0].strip("`") for row in rows) == sorted(toplabel.losses.LOSSES)
    labels = {"one": "one", "set": "a set", "either": "one, or a set"}
    for key, picture, _, of, *parameters in rows:
        loss = toplabel.losses.get(key.strip("`"))
        assert f"generated/losses/{loss.key}.svg" in picture
        assert of == labels[loss.labels]
        has = {"`k`": loss.top_k, "`gamma`": loss.smoothing}
        assert "".join(parameters).strip(" |") == ", ".join(n for n, meant in has.items() if meant)


def test_the_reference_has_every_public_name(repository):
    text = (repository / "docs/api.md").read_text(encoding="utf-8")
    listed = {}
    for module, names in re.findall(
        r"currentmodule:: (\S+)\n.*?nosignatures:\n\n(.*?)```", text, re.S
    ):
        listed.setdefault(module, set()).update(names.split())
    for name, found in listed.items():
        module = import_module(name)
        assert all(callable(getattr(module, each)) for each in found)
        missing = {n for n in module.__all__ if callable(getattr(module, n))} - found
        assert missing <= listed["toplabel"] | {"simplex_coding"}, name


def test_every_example_has_a_place_in_the_gallery(repository):
    order = re.search(
        r"ORDER = \((.*?)\n\)", (repository / "docs/site/pictures.py").read_text(), re.S
    )
    examples = {path.stem.removeprefix("plot_") for path in (repository / "examples").glob("*.py")}
    assert set(re.findall(r'"(\w+)"', order[1])) == examples


def test_every_page_is_in_a_table_of_contents(repository):
    pages = {
        path.stem: path.read_text(encoding="utf-8") for path in (repository / "docs").glob("*.md")
    }
    trees = re.findall(r"```\{toctree\}\n(.*?)```", "".join(pages.values()), re.DOTALL)
    assert set(pages) - set("\n".join(trees).split()) == {"index"}


def test_every_link_of_a_page_has_a_target(repository):
    missing = [
        f"{page.name}: {target}"
        for page in [repository / "README.md", *(repository / "docs").glob("*.md")]
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not target.startswith("generated/")
        if not (page.parent / target).exists()
    ]
    assert not missing
