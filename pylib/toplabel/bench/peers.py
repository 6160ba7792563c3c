"""The other solvers: what is installed, and the settings that each is tried with, from loose to tight.

A `Family` is one solver with one of its stopping rules. Its settings are so fine that hardly any time is lost
between two of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import importlib.metadata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from toplabel.bench import fitting
from toplabel.bench.shapes import Shape

#: Import name and distribution of the peers that may be missing.
OPTIONAL = {"spams": "spams-bin", "snapml": "snapml"}
# Classes times features beyond which the Hessian of newton-cholesky does not pay (or fit).
_LARGEST_HESSIAN = 3000


@dataclass(frozen=True)
class Setting:
    """One way to call a solver: `fit` is timed, `weights` turns what it returns into W, (d, m)."""

    name: str
    fit: Callable[[], Any]
    weights: Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Family:
    """A solver with one stopping rule.

    `stride` is how many settings may be skipped at a time on the way to the first that is tight enough: fewer where the
    time of the next cannot be foreseen.
    """

    solver: str
    package: str
    settings: Sequence[Setting]
    stride: int = 4


def missing(module: str) -> str:
    """Say why an optional peer cannot be used; empty when it can."""
    try:
        with _same_arithmetic():
            importlib.import_module(module)
    except Exception as error:  # a wheel for another processor may fail in any way
        return f"{OPTIONAL[module]} is not installed or does not load: {error}"
    return ""


@contextlib.contextmanager
def _same_arithmetic() -> Iterator[None]:
    """Undo what a library does to the processor's floating-point modes as it is loaded.

    Snap ML is linked with -ffast-math, which flushes subnormal numbers to zero in the whole process: that would change
    the numbers of all others, and their speed.
    """
    path = ctypes.util.find_library("m")
    try:
        libm = ctypes.CDLL(path) if path else None
        modes = ctypes.create_string_buffer(512)  # larger than any fenv_t
        saved = libm is not None and libm.fegetenv(modes) == 0
    except (OSError, AttributeError):
        saved = False
    yield
    if saved:
        libm.fesetenv(modes)


def versions() -> dict[str, str]:
    """Versions of the packages that are compared, those installed."""
    found = {}
    for name in ("toplabel", "numpy", "scipy", "scikit-learn", *OPTIONAL.values()):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def ours(shape: Shape, loss: str) -> Family:
    """`toplabel.solve` by a number of epochs; it evaluates before the first and after the last."""
    settings = [
        Setting(
            f"{epochs} epochs",
            lambda epochs=epochs: fitting.run_epochs(shape, loss, epochs),
            lambda solution: fitting.weights(shape, solution),
        )
        for epochs in growing(1, 20000)
    ]
    return Family("toplabel", "toplabel", settings)


def certified(shape: Shape, loss: str, eps: float = 1e-3) -> Family:
    """`toplabel.solve` as it is normally called: to its own certificate, with all evaluations."""
    setting = Setting(
        f"eps {eps:g}",
        lambda: fitting.train(shape, loss, eps=eps, max_epochs=100_000),
        lambda solution: fitting.weights(shape, solution),
    )
    return Family("toplabel, own certificate", "toplabel", [setting])


def growing(first: int, last: int, factor: float = 1.12) -> list[int]:
    """Return whole numbers from `first` to about `last`, each at least 1 and about `factor` times the one before."""
    numbers = [first]
    while numbers[-1] < last:
        numbers.append(max(numbers[-1] + 1, round(numbers[-1] * factor)))
    return numbers


def falling(first: float, last: float, factor: float = 1.4) -> list[float]:
    """Return tolerances from `first` down to about `last`."""
    numbers = [first]
    while numbers[-1] > last:
        numbers.append(numbers[-1] / factor)
    return numbers


def others(shape: Shape, loss: str) -> list[Family]:
    """Return the families of the peers that solve this problem; the optional ones if they are installed."""
    found = {
        "svm_multi": lambda: _liblinear_svm(shape, "crammer_singer", "LIBLINEAR Crammer-Singer"),
        "svm_ova": lambda: (
            _liblinear_svm(shape, "ovr", "LIBLINEAR one-vs-all") + _snapml(shape, loss)
        ),
        "lr_multi": lambda: _sklearn_softmax(shape) + _spams(shape),
        "lr_ova": lambda: _liblinear_logistic(shape) + _snapml(shape, loss),
    }[loss]()
    return found


# ---- scikit-learn ------------------------------------------------------------------------------------


def _coefficients(model) -> np.ndarray:
    return model.coef_.T


def _liblinear_svm(shape: Shape, multi: str, name: str) -> list[Family]:
    from sklearn.svm import LinearSVC

    def fit(**limits):
        return LinearSVC(
            C=shape.C,
            loss="hinge",
            multi_class=multi,
            fit_intercept=False,
            random_state=0,
            **limits,
        ).fit(shape.X, shape.y)

    by_tol = [
        Setting(f"tol {t:.3g}", lambda t=t: fit(tol=t, max_iter=100_000), _coefficients)
        for t in falling(10.0, 1e-6)
    ]
    families = [Family(f"{name}, by tol", "LIBLINEAR", by_tol, stride=3)]
    if multi == "ovr":  # the solver of Crammer and Singer's problem does not look at max_iter
        by_iterations = [
            Setting(f"max_iter {i}", lambda i=i: fit(tol=1e-12, max_iter=i), _coefficients)
            for i in growing(1, 3000)
        ]
        families.append(Family(f"{name}, by max_iter", "LIBLINEAR", by_iterations))
    return families


def _liblinear_logistic(shape: Shape) -> list[Family]:
    from sklearn.linear_model import LogisticRegression

    def fit(dual: bool, **limits):
        W = np.empty((shape.X.shape[1], shape.n_classes))
        for j in range(shape.n_classes):
            model = LogisticRegression(
                C=shape.C,
                solver="liblinear",
                dual=dual,
                fit_intercept=False,
                random_state=0,
                **limits,
            )
            W[:, j] = model.fit(shape.X, shape.y == j).coef_[0]
        return W

    return [
        Family(
            f"LIBLINEAR logistic one-vs-all, {'dual' if dual else 'primal'}",
            "LIBLINEAR",
            [
                Setting(
                    f"max_iter {i}",
                    lambda i=i, dual=dual: fit(dual, tol=1e-12, max_iter=i),
                    lambda W: W,
                )
                for i in growing(1, 1000)
            ],
        )
        for dual in (True, False)
    ]


def _sklearn_softmax(shape: Shape) -> list[Family]:
    from sklearn.linear_model import LogisticRegression

    def fit(solver: str, iterations: int):
        return LogisticRegression(
            C=shape.C,
            solver=solver,
            fit_intercept=False,
            tol=1e-12,
            max_iter=iterations,
            random_state=0,
        ).fit(shape.X, shape.y)

    solvers = ["lbfgs", "newton-cg", "saga", "sag"]
    if shape.X.shape[1] * shape.n_classes <= _LARGEST_HESSIAN:
        solvers.insert(2, "newton-cholesky")
    return [
        Family(
            f"scikit-learn {solver}",
            "scikit-learn",
            [
                Setting(
                    f"max_iter {i}",
                    lambda i=i, solver=solver: fit(solver, i),
                    _coefficients,
                )
                for i in growing(1, 2000)
            ],
        )
        for solver in solvers
    ]


# ---- optional ------------------------------------------------------------------------------------------


def _spams(shape: Shape) -> list[Family]:
    """FISTA of SPAMS; its 'l2' is half the squared norm, its loss the mean over the rows."""
    if missing("spams"):
        return []
    spams = importlib.import_module("spams")

    X = shape.X.tocsc() if sparse.issparse(shape.X) else np.asfortranarray(shape.X)
    y = np.asfortranarray(shape.y[:, None].astype(np.float64))
    start = np.zeros((X.shape[1], shape.n_classes), order="F")
    rows = sparse.linalg.norm(X, axis=1) if sparse.issparse(X) else np.linalg.norm(X, axis=1)

    def fit(iterations: int):
        return spams.fistaFlat(
            y,
            X,
            start,
            numThreads=1,
            loss="multi-logistic",
            regul="l2",
            lambda1=1.0 / (shape.C * shape.n),
            L0=0.01 * float((rows**2).mean()),
            tol=1e-12,
            max_it=iterations,
            it0=iterations + 1,  # a look at its gap costs time
        )

    settings = [
        Setting(f"max_it {i}", lambda i=i: fit(i), lambda W: np.asarray(W))
        for i in growing(1, 20000)
    ]
    return [Family("SPAMS FISTA", "SPAMS", settings)]


def _snapml(shape: Shape, loss: str) -> list[Family]:
    """Snap ML, which trains one class against the others."""
    if missing("snapml"):
        return []
    snapml = importlib.import_module("snapml")

    make = {"svm_ova": snapml.SupportVectorMachine, "lr_ova": snapml.LogisticRegression}[loss]

    def fit(iterations: int):
        return make(
            regularizer=1.0 / shape.C,
            max_iter=iterations,
            tol=1e-12,
            n_jobs=1,
            random_state=0,
            fit_intercept=False,
        ).fit(shape.X, shape.y)

    settings = [
        Setting(f"max_iter {i}", lambda i=i: fit(i), _coefficients) for i in growing(1, 3000)
    ]
    return [Family("Snap ML one-vs-all", "Snap ML", settings)]
