"""A sum over the sources that a stage depends on.

Snakemake notices a changed script, but not a changed package or C library. Every rule has the
fingerprint of its stage among its params, so that a stage runs again when its sources change, and
only then.

The sources of a stage are its scripts and the modules that these import, directly or not. They
follow from the import statements, so there is no list to maintain. Comments, docstrings and the
layout of Python code do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from toplabel._core.files import atomic_path

#: The scripts of each stage: patterns below workflow/scripts.
STAGES: dict[str, tuple[str, ...]] = {
    "fetch": ("fetch_raw.py",),
    "prepare": ("prepare_dataset.py",),
    "redraw": ("redraw_folds.py",),
    "network": ("train_network.py",),
    "extract": ("extract_features.py",),
    "fine_tune": ("fine_tune.py",),
    "join": ("join_draws.py",),
    "tune": ("tune_*.py",),
    "train": ("train_final.py",),
    "threshold": ("set_thresholds.py",),
    "evaluate": ("evaluate_test.py",),
    "datasets": ("collect_datasets.py",),
    "agree": ("agree_*.py",),
    "compare": ("compare_published.py",),
    "findings": ("judge_claims.py",),
    "tables": ("make_table.py", "table_*.py"),
    "figures": ("draw_*.py",),
    "timing": ("time_*.py",),
    "calibration": ("study_calibration.py",),
    "report": ("write_*.py",),
    "run": ("describe_run.py",),
}
_SCRIPTS = "workflow/scripts"
_C_SOURCES = ("csrc/include/*.h", "csrc/src/*.[ch]", "pylib/build_native.py")
# Files of the package that no import statement names.
_DATA = {"report": ("toplabel/reproduction/report/templates/*",)}
_NATIVE = "toplabel._native"
_PARSED = Path(".snakemake/toplabel.imports.json")
_PACKAGE = Path(__file__).resolve().parents[3]


@cache
def fingerprint(stage: str, root: Path, package: Path = _PACKAGE) -> str:
    """Return the sum of a stage: 16 hexadecimal digits of SHA-256 over names and contents.

    Parameters
    ----------
    stage : str
        A key of `STAGES`.
    root : Path
        The checkout.
    package : Path, optional
        The folder that holds the package ``toplabel``; by default where this module lies.
    """
    modules = stage_modules(stage, root, package)
    of_checkout = [f"{_SCRIPTS}/{pattern}" for pattern in STAGES[stage]]
    of_checkout += _C_SOURCES if _NATIVE in modules else ()
    of_package = [*_DATA.get(stage, ()), *_files(modules, package)]
    both = f"{sum_of(root, of_checkout)} {sum_of(package, of_package)}"
    return hashlib.sha256(both.encode()).hexdigest()[:16]


@cache
def module_sum(module: str, package: Path = _PACKAGE) -> str:
    """Return the sum over one module and all of the package that it imports, directly or not, but
    the C library.

    Of a baseline, which a stage imports by name only when it is asked for. Whatever reaches the C
    library is among the sources of the stage.
    """
    return sum_of(package, _files(_reached({module}, package), package))


def stage_modules(stage: str, root: Path, package: Path = _PACKAGE) -> list[str]:
    """Return names of the package's modules that the scripts of a stage import, directly or not.

    A module counts, but not the ``__init__`` of the folders above it, unless a name is imported
    from there: the package's own gathers names from nearly everywhere, and does nothing else.
    """
    scripts = (path for pattern in STAGES[stage] for path in (root / _SCRIPTS).glob(pattern))
    return sorted(_reached({n for script in scripts for n in _imports(script, package)}, package))


def sum_of(base: Path, patterns: Iterable[str]) -> str:
    """Return 16 hexadecimal digits of SHA-256 over names and contents of the files below a
    folder.
    """
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in base.glob(pattern)}):
        if path.is_file():
            digest.update(f"{path.relative_to(base).as_posix()}\n".encode())
            digest.update(_content(path).encode())
    return digest.hexdigest()[:16]


def save_parsed() -> None:
    """Keep what was parsed, for the jobs of the run.

    Each job of a cluster makes the plan anew, and to parse all sources takes longer than the rest.
    """
    _PARSED.parent.mkdir(exist_ok=True)
    with atomic_path(_PARSED) as temporary:
        temporary.write_text(json.dumps(_known()), encoding="utf-8")


def _reached(new: set[str], package: Path) -> set[str]:
    """Return some modules and all that they import, directly or not."""
    found: set[str] = set()
    while new:
        found |= new
        files = [_file(module, package) for module in new - {_NATIVE}]
        new = {name for file in files for name in _imports(file, package)} - found
    return found


def _files(modules: Iterable[str], package: Path) -> list[str]:
    """Return the Python files of some modules, below the folder of the package."""
    files = (_file(module, package) for module in modules if module != _NATIVE)
    return [file.relative_to(package).as_posix() for file in files]


@cache
def _file(module: str, package: Path) -> Path:
    """Return the file of a module, which need not exist."""
    path = package.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")


@cache
def _imports(path: Path, package: Path) -> frozenset[str]:
    """Return names of the package's modules in a file's import statements, also in functions."""

    def is_module(name: str) -> bool:
        return name == _NATIVE or _file(name, package).is_file()

    names = (
        f"{module}.{member}" if member and is_module(f"{module}.{member}") else module
        for module, member in _parsed(path)["imports"]
    )
    return frozenset(filter(is_module, names))


@cache
def _content(path: Path) -> str:
    """Return the SHA-256 of a file, of Python code that of its syntax tree."""
    if path.suffix == ".py":
        return _parsed(path)["sum"]
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _parsed(path: Path) -> dict[str, Any]:
    """Return what a Python file imports of the package, as pairs of module and name, and the sum of
    its syntax tree.
    """
    content = path.read_bytes()
    key = hashlib.sha256(content).hexdigest()
    if key not in _known():
        tree = ast.parse(content, str(path))
        _known()[key] = {"imports": _imported(tree), "sum": _tree_sum(tree)}
    return _known()[key]


@cache
def _known() -> dict[str, dict[str, Any]]:
    """Return what was parsed of files by the SHA-256 of their content, as `save_parsed` left it."""
    try:
        known = json.loads(_PARSED.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _imported(tree: ast.Module) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
    return [one for one in found if one[0].partition(".")[0] == "toplabel"]


def _tree_sum(tree: ast.Module) -> str:
    """Return the SHA-256 of a syntax tree without its docstrings, and without line numbers."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a string alone: a docstring, or that of an attribute."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
