"""The pages name every loss and every public function, and their links have targets."""

import csv
import re
from importlib import import_module

import toplabel
from toplabel.reproduction.report.figures.registry import row_of


def test_the_table_of_losses_is_the_catalogue(repository):
    text = (repository / "docs/what-to-use.md").read_text(encoding="utf-8")
    labels = {"one": "one", "set": "a set", "either": "one, or a set"}
    for loss in toplabel.losses.LOSSES.values():
        has = {"`k`": loss.top_k, "`gamma`": loss.smoothing}
        names = ", ".join(name for name, meant in has.items() if meant)
        assert f"\n| `{loss.key}` | {loss.about} | {labels[loss.labels]} | {names} |" in text
        assert f"\n| `{loss.key}` | {loss.formula} | {loss.source} |\n" in text


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


def test_what_the_coverage_of_the_papers_names_is_there(repository):
    lines = (repository / "config/coverage.csv").read_text(encoding="utf-8").splitlines()
    for _, _, where in csv.reader(lines[1:]):
        for page in re.findall(r"docs/[\w/-]+\.md", where):
            assert (repository / page).exists()
        for study in re.findall(r"\b[Ss]tudy (\w+_\w+)", where):
            assert (repository / f"config/studies/{study}.yaml").exists()
        for figure in re.findall(r"\b\w+_figure\w+", where):
            assert row_of(figure) is not None
        for name in re.findall(r"\btoplabel\.([a-z_]+)(?:\.(\w+))?", where):
            assert getattr(toplabel, name[0])
            assert not name[1] or hasattr(getattr(toplabel, name[0]), name[1])


def test_every_example_has_a_place_in_the_gallery(repository):
    order = re.search(
        r"ORDER = \((.*?)\n\)", (repository / "docs/site/pictures.py").read_text(), re.S
    )
    examples = {path.stem.removeprefix("plot_") for path in (repository / "examples").glob("*.py")}
    assert set(re.findall(r'"(\w+)"', order[1])) == examples


def test_every_page_is_in_a_table_of_contents(repository):
    pages = {path.stem for path in (repository / "docs").glob("*.md")}
    text = (repository / "docs/index.md").read_text(encoding="utf-8")
    trees = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
    assert pages - set("\n".join(trees).split()) == {"index"}


def test_every_link_of_a_page_has_a_target(repository):
    pages = {
        page.resolve(): page.read_text(encoding="utf-8")
        for page in [*repository.glob("*.md"), *(repository / "docs").rglob("*.md")]
        if "gallery" not in page.parts and "generated" not in page.parts
    }
    anchors = {
        page: {
            re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        }
        for page, text in pages.items()
    }
    missing = []
    for page, text in pages.items():
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
            there = (page.parent / target).resolve() if target else page
            if "://" in target or target.startswith("gallery/"):
                continue
            if not there.exists() or (anchor and there in anchors and anchor not in anchors[there]):
                missing.append(f"{page.name}: {target}#{anchor}")
    assert not missing


def test_files_that_the_recipes_name_are_there(repository):
    package = repository / "pylib/toplabel"
    places = [
        repository,
        package,
        package / "reproduction",
        package.parent,
        repository / "csrc/src",
    ]
    made = ("results/", "reports/", "data/raw/", "build/")
    example = "pylib/toplabel/reproduction/report/figures/epochs.py"
    for name in ("docs/architecture.md", "docs/extend.md", "docs/workflow.md", "CONTRIBUTING.md"):
        text = (repository / name).read_text(encoding="utf-8")
        named = re.findall(r"`(?:reproduction/)?((?:[\w.-]+/)+(?:[\w-]+\.\w+)?)`", text)
        missing = {
            path
            for path in named
            if path != example
            and not path.startswith(made)
            and not any((place / path).exists() for place in places)
        }
        assert not missing, name


def test_names_of_pages_in_the_code_are_pages(repository):
    folders = ("pylib", "config", "workflow", "csrc", "data", "benchmarks", "tests", "packaging")
    named = {
        (path.relative_to(repository).as_posix(), page)
        for folder in folders
        for path in (repository / folder).rglob("*")
        if path.is_file() and path.suffix in {".py", ".yaml", ".smk", ".md", ".h", ".c", ".sh"}
        for page in re.findall(r"\bdocs/([\w/-]+\.md)", path.read_text(encoding="utf-8"))
    }
    assert {place for place in named if not (repository / "docs" / place[1]).exists()} == set()
