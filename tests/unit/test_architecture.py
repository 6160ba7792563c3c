"""What the layers of the package promise beyond the checked imports (pyproject.toml)."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toplabel.reproduction import sources

ROOT = Path(__file__).parents[2]


def loaded_by(code):
    """Return the modules that are loaded once some code has run, in a process of its own."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*done.stdout.split()}


def test_the_library_loads_nothing_of_the_reproduction():
    names = loaded_by("import toplabel\nfor name in toplabel.__all__: getattr(toplabel, name)")
    assert not [name for name in names if name.startswith("toplabel.reproduction")]


def test_names_of_the_package_are_there_whatever_was_imported_before():
    code = (
        "import toplabel.estimators, toplabel\n"
        "for name in toplabel.__all__: getattr(toplabel, name)\n"
        "assert callable(toplabel.certify) and callable(toplabel.path)\n"
        "from toplabel import *\n"
        "assert {*toplabel.__all__} <= {*dir(toplabel)} & {*globals()}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_plan_of_a_run_needs_no_solver():
    names = loaded_by("import toplabel.reproduction.targets, toplabel.reproduction.run")
    assert not {"scipy", "pandas", "sklearn", "toplabel._native"} & names


#: With these a docstring of a function would have no verb.
_NO_VERB = {
    *("Of", "As", "What", "Whether", "The", "A", "An", "How", "Where", "Which", "Why"),
    *("All", "Those", "That", "Each", "One", "Its", "Names", "Files"),
}


@pytest.mark.parametrize("stage", ["tune", "train", "evaluate"])
def test_the_jobs_of_a_cell_start_without_what_few_of_them_need(repository, stage):
    source = (repository / f"workflow/scripts/{stage}.py").read_text(encoding="utf-8")
    # scikit-learn would take twice as long as all the rest
    assert not {"sklearn", "pandas", "matplotlib"} & loaded_by(source)


def test_docstrings_of_functions_open_with_a_verb(repository):
    wrong = [
        f"{path.relative_to(repository)}:{node.lineno} {node.name}"
        for path in (repository / "pylib").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and not {"property", "cached_property"}
        & {getattr(one, "id", "") for one in node.decorator_list}
        and (ast.get_docstring(node) or "None").split()[0].strip("`.,:") in _NO_VERB
    ]
    assert wrong == []


#: What would compute a number: methods of frames and arrays, and modules.
_AGGREGATES = {
    *("mean", "median", "std", "var", "quantile", "min", "max", "idxmin", "idxmax", "sum"),
    *("agg", "aggregate", "transform", "apply", "rank", "cumsum", "corr", "describe", "div", "mul"),
}


def test_the_report_computes_nothing():
    """It counts rows by verdict, and takes all other numbers from the files of rule compare."""
    wrong = []
    reached = sources._reached({"toplabel.reproduction.report.write"})
    modules = [
        name for name in reached if re.fullmatch(r"toplabel\.reproduction\.report\.\w+", name)
    ]
    assert len(modules) > 10
    for path in sorted(map(sources._file, modules)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            place = f"{path.name}:{getattr(node, 'lineno', 0)}"
            wrong += [f"{place}: {name}" for name in _imported(node) if _is_computing(name)]
            if isinstance(node, ast.Attribute) and node.attr in _AGGREGATES:
                wrong.append(f"{place}: .{node.attr}")
    assert wrong == []


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []


def _is_computing(name):
    names = ("numpy", "scipy", "statistics", "toplabel.metrics")
    return name.startswith(names) and name != "toplabel.metrics.names"


def test_files_of_the_solver_in_c_call_only_those_below():
    """The order is the list at the head of solver.h; the storages count as one file."""
    folder = ROOT / "csrc" / "src"
    head = (folder / "solver.h").read_text().split("#ifndef")[0]
    patterns = re.findall(r"^ \*   (\S+\.c) ", head, re.MULTILINE)
    floors = {path: i for i, name in enumerate(patterns) for path in folder.glob(name)}
    assert floors.keys() == {*folder.glob("solver_*.c"), *folder.glob("storage_*.c")}
    texts = {path: path.read_text() for path in floors}
    floor_of = {
        name: floors[path]
        for path, text in texts.items()
        for name in re.findall(r"^(?!static)\w[\w *]*\b(tl_\w+)\([^;{]*\) \{", text, re.MULTILINE)
    }
    assert len(floor_of) > 40
    for path, text in texts.items():
        for name in set(re.findall(r"\b(tl_\w+)\(", text)) & floor_of.keys():
            assert floor_of[name] >= floors[path], f"{path.name} calls {name}"
