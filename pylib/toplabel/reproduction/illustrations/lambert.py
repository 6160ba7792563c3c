"""V(t) = W(e^t) on a logarithmic and on a linear scale (TPAMI Fig. 2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toplabel import prox

COLUMNS = ["panel", "curve", "t", "value"]
_LARGEST = 10.0


def lambert_curves(points: int = 201) -> pd.DataFrame:
    """Return V on both sides of 0, each with the approximation of TPAMI section 5.1: `COLUMNS`.

    Panel ``log`` has t in [-10, 0] and the curves ``V`` and ``exp``, e^t for t << 0; panel
    ``linear`` has t in [0, 10] and the curves ``V`` and ``t - log t`` for t >> 1, from t = 1.
    """
    left = np.linspace(-_LARGEST, 0.0, points)
    right = np.linspace(0.0, _LARGEST, points)
    beyond = right[right >= 1.0]
    curves = [
        ("log", "V", left, prox.lambert_w_exp(left)),
        ("log", "exp", left, np.exp(left)),
        ("linear", "V", right, prox.lambert_w_exp(right)),
        ("linear", "t - log t", beyond, beyond - np.log(beyond)),
    ]
    frames = [
        pd.DataFrame({"panel": panel, "curve": curve, "t": t, "value": value})
        for panel, curve, t, value in curves
    ]
    return pd.concat(frames, ignore_index=True)[COLUMNS]
