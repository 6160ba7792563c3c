"""The prediction of what the rest of a run costs."""

import numpy as np
import pytest

from toplabel._core.choice import slope_of_line


def test_the_slope_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    x = 1e9 + 1e6 * np.arange(40.0)
    y = -3e-7 * (x - 1e9) + rng.normal(size=40)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    expected = np.polyfit((x - x.mean()) / 1e6, y, 1)[0] / 1e6
    assert slope_of_line(points) == pytest.approx(expected, rel=1e-9)
    assert slope_of_line([(1.0, 2.0), (1.0, 5.0)]) == 0.0
