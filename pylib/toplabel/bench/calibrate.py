"""``python -m toplabel.bench.calibrate``: how hard the problems of the benchmark are.

Prints the accuracy on rows held out for several C, by which the noise and the C of `toplabel.bench.shapes` were
chosen. Nothing is timed.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

import toplabel
from toplabel.bench import real, shapes

POWERS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)


def held_out_accuracy(shape: shapes.Shape, rows: int, loss: str, C: float) -> float:
    """Train on the first rows (to a gap of 1e-3), and return the top-1 accuracy on the others.

    Parameters
    ----------
    shape : Shape
    rows : int
        Training rows.
    loss : str
    C : float

    Returns
    -------
    float
        In percent.
    """
    features, kernel = shape.X[:rows], "linear"
    if shape.gram is not None:
        features, kernel = np.ascontiguousarray(shape.gram[:rows, :rows]), "precomputed"
    model = toplabel.solve(
        features,
        shape.y[:rows],
        loss=loss,
        C=C,
        kernel=kernel,
        n_classes=shape.n_classes,
        time_limit=60,
    )
    rest = shape.X[rows:] if shape.gram is None else shape.gram[rows:, :rows]
    return 100.0 * float(
        toplabel.metrics.top_k_accuracy(shape.y[rows:], model.decision_function(rest), k=1)
    )


def _problem(name: str) -> tuple[shapes.Shape, int]:
    """Return a problem with rows to hold out, and the number of training rows."""
    if name in shapes.RECIPES:
        rows = shapes.RECIPES[name].sizes[0]
        return shapes.synthetic(name, held_out=4000), rows
    shape = real.load(name)
    order = np.random.default_rng(0).permutation(shape.n)
    return replace(shape, X=shape.X[order], y=shape.y[order]), int(0.8 * shape.n)


def main() -> None:
    """Print a line a problem, loss and C."""
    parser = argparse.ArgumentParser(prog="python -m toplabel.bench.calibrate")
    known = [name for name in shapes.RECIPES if name != "tags"] + list(real.SETS)
    parser.add_argument("names", nargs="*", default=known, metavar="name", help=", ".join(known))
    with threadpool_limits(1):
        for name in parser.parse_args().names:
            shape, rows = _problem(name)
            for loss in ("svm_multi", "lr_multi"):
                for C in POWERS:
                    value = held_out_accuracy(shape, rows, loss, C)
                    print(f"{name:8s} {loss:10s} C {C:<6g} {value:5.1f} %", flush=True)


if __name__ == "__main__":
    main()
