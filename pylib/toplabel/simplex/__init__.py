"""Simplex coding: Mroueh, Poggio, Rosasco, Slotine, "Multiclass Learning with Simplex Coding" (NIPS
2012).

T classes are T unit vectors of R^(T-1) with pairwise inner products -1/(T-1); a model maps a row to
R^(T-1), and the class is that of the code vector with the largest inner product. See
docs/evidence/simplex-coding.md.
"""

from toplabel.simplex.coding import decode, encode, scores, simplex_coding
from toplabel.simplex.least_squares import LeastSquaresPath
from toplabel.simplex.losses import LOSSES, value
from toplabel.simplex.online import solve_online
from toplabel.simplex.problem import gaussian_width
from toplabel.simplex.solution import SimplexSolution
from toplabel.simplex.svm import solve

__all__ = [
    "LOSSES",
    "LeastSquaresPath",
    "SimplexSolution",
    "decode",
    "encode",
    "gaussian_width",
    "scores",
    "simplex_coding",
    "solve",
    "solve_online",
    "value",
]
