"""What ``make evidence`` prints about the proximal maps, on fewer cases, and asserted."""

from evidence import prox


def test_projections_against_fractions():
    table = prox.projections(300, seed=10)
    assert (table.cases == 300).all()
    assert table.infeasibility.max() <= 40
    assert table.error.max() <= 16


def test_long_projections_satisfy_the_variational_inequality():
    table = prox.long_projections(150, seed=11)
    assert table.cases.min() >= 50
    assert table.infeasibility.max() <= 10
    assert table.excess.max() <= 1


def test_topk_entropic_is_optimal_with_capped_sets():
    table = prox.topk_entropic(240, seed=12)
    with_cap = table[table.k > 1]
    assert with_cap.capped.sum() > with_cap.cases.sum() / 2
    assert table.infeasibility.max() <= 10
    assert table.suboptimality.max() <= 10
    assert table.error.max() <= 100
    assert table.better.sum() == 0


def test_bipartite_entropic_is_optimal():
    table = prox.bipartite_entropic(120, seed=13)
    assert table.infeasibility.max() <= 20
    assert table.suboptimality.max() <= 30
    assert table.error.max() <= 100


def test_lambert_w_exp():
    assert prox.lambert(3000, seed=14).relative_error.max() <= 1e-15
