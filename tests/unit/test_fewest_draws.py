"""Fewer draws of the folds than five are no evidence, in any text that speaks of them."""

import pandas as pd
import pytest

from toplabel.reproduction.report.fragments import intervals
from toplabel.reproduction.report.sections import spread_sentence
from toplabel.reproduction.report.words import say
from toplabel.reproduction.tables.collected import FEWEST_DRAWS


@pytest.mark.parametrize("draws", [FEWEST_DRAWS - 2, FEWEST_DRAWS])
def test_few_draws_say_nothing_about_the_printed_number(draws):
    row = {"metric": "f1_micro", "published_text": "50.0", "seeds": float(draws)}
    row |= {"seeds_mean": 50.1, "seeds_std": 0.4, "in_seeds": "true", "in_rows": "", "decimals": 1}
    few = draws < FEWEST_DRAWS
    assert ("too few to judge by" in say("seeds_spread", row, FEWEST_DRAWS)) == few
    assert ("1 of 1 printed numbers" in spread_sentence(pd.DataFrame([row]))) == (not few)
    text = {"verdict": "match", "dataset": "scene", "kernel": "linear", "seeds": str(draws)}
    table = intervals(pd.DataFrame([text | {"in_rows": "", "in_seeds": "true"}]))
    assert ("1 of 1" in table) == (not few)
