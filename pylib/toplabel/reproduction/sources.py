"""The sum over the sources that a stage of the workflow depends on.

Snakemake notices a changed script, but not a changed package or C library. Every rule has the sum of
its stage among its params, so a stage runs again when its sources change, and only then.

The sources of a stage are its script and the modules that this imports, directly or not. Comments,
docstrings and the layout of Python code do not count.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

ROOTS = [Path(__file__).resolve().parents[2]]
"""The folders of the modules that count: the package, those of a run's own config files, and of
packages of the user that are installed in place.
"""
_COMPILED = {
    "toplabel._native": ("csrc/include/*.h", "csrc/src/*.[ch]", "pylib/build_native.py"),
    "toplabel.reproduction._sorting": ("csrc/tests/prox_sorted.h", "pylib/build_native.py"),
}
# The module whose templates no import statement names.
_TEMPLATES = "toplabel.reproduction.report.text"


@cache
def fingerprint(script: str, root: Path) -> str:
    """Return the sum over a script of workflow/scripts and all modules that it imports."""
    path = root / "workflow/scripts" / script
    modules = _reached(_imports(path))
    files = [path, *(_file(module) for module in modules if module not in _COMPILED)]
    for module in modules & {*_COMPILED}:
        files += [file for pattern in _COMPILED[module] for file in root.glob(pattern)]
    if _TEMPLATES in modules:
        files += _file(_TEMPLATES).parent.glob("templates/*")
    return _sum(files)


@cache
def state_of(module: str) -> str:
    """Return what tells that a module has changed which a stage imports by name.

    It is the sum over the module and all Python that it imports; of an installed one name and version
    of its distribution.
    """
    if is_module(module):
        return _sum(_file(name) for name in _reached({module}) if name not in _COMPILED)
    names = packages_distributions().get(_package_of(module), ())
    return " ".join(f"{name} {version(name)}" for name in sorted({*names}))


def count_editable(modules: Iterable[str]) -> None:
    """Let the sources of packages count that are installed in place, since their users edit them."""
    for package in {*map(_package_of, modules)} - {*sys.stdlib_module_names}:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        file = Path(spec.origin).resolve()
        root = file.parents[1] if spec.submodule_search_locations else file.parent
        if root not in ROOTS and not {"site-packages", "dist-packages"} & {*root.parts}:
            ROOTS.append(root)


def _package_of(module: str) -> str:
    return module.partition(".")[0]


def user_files(modules: Iterable[str]) -> list[Path]:
    """Return the files of some modules, and of all that they import, which stand beside config files."""
    reached = _reached(filter(is_module, modules))
    return sorted(file for file in map(_file, reached) if not file.is_relative_to(ROOTS[0]))


def is_module(name: str) -> bool:
    """Return whether a module is one of those that count."""
    return name in _COMPILED or (name != "" and _file(name).is_file())


def _sum(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted({*files}):
        digest.update(f"{path.name}\n{_content(path)}".encode())
    return digest.hexdigest()[:16]


def _reached(new: Iterable[str]) -> set[str]:
    """Return some modules and all that they import, directly or not."""
    reached: set[str] = set()
    waiting = {*new}
    while waiting:
        reached |= waiting
        files = [_file(module) for module in waiting if module not in _COMPILED]
        waiting = {name for file in files for name in _imports(file)} - reached
    return reached


@cache
def _file(module: str) -> Path:
    paths = [root.joinpath(*module.split(".")) for root in ROOTS]
    files = [file for path in paths for file in (path / "__init__.py", path.with_suffix(".py"))]
    return next((file for file in files if file.is_file()), files[0])


@cache
def _imports(path: Path) -> frozenset[str]:
    """Return the modules of the package that a file imports, also inside of functions.

    A package's `__init__` counts only where a name is imported from there.
    """
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = ".".join([*_package(path, node.level), node.module or ""]).strip(".")
            for alias in node.names:
                member = f"{module}.{alias.name}".lstrip(".")
                names.add(member if is_module(member) else module)
    return frozenset(filter(is_module, names))


def _package(path: Path, level: int) -> tuple[str, ...]:
    """Return the names of the package that the dots of a relative import in a file stand for."""
    roots = [root for root in ROOTS if path.is_relative_to(root)] if level else []
    if not roots:
        return ()
    folders = path.relative_to(max(roots, key=lambda root: len(root.parts))).parent.parts
    return folders[: len(folders) + 1 - level]


@cache
def _content(path: Path) -> str:
    """Return the SHA-256 of a file, of Python code that of its syntax tree without docstrings."""
    content = path.read_bytes()
    if path.suffix == ".py":
        tree = ast.parse(content)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                body[:] = [statement for statement in body if not _is_text(statement)]
        content = ast.dump(tree).encode()
    return hashlib.sha256(content).hexdigest()


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a string alone: a docstring, or that of an attribute."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
