"""What every figure is: three files, the same bytes for the same numbers."""

import json

import pandas as pd


def drawn_twice(draw, frame, folder, name):
    """Draw twice, compare the files, and return the words beside the figure."""
    for place in ("a", "b"):
        draw(frame, folder / place / f"{name}.svg")
    for suffix in ("svg", "csv", "json"):
        one = (folder / "a" / f"{name}.{suffix}").read_bytes()
        assert one == (folder / "b" / f"{name}.{suffix}").read_bytes()
    assert len(pd.read_csv(folder / "a" / f"{name}.csv")) == len(frame)
    words = json.loads((folder / "a" / f"{name}.json").read_text(encoding="utf-8"))
    assert words["title"]
    assert words["caption"]
    assert len(words["alt"]) > 100
    return words
