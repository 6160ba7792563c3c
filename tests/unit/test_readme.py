"""The first page, and the table of losses."""

import toplabel


def test_the_first_page_fits_a_screen(repository):
    lines = (repository / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100


def test_the_table_of_losses_is_the_catalogue(repository):
    labels = {"one": "one", "set": "a set", "either": "one, or a set"}
    rows = ["| loss | labels per row | parameters | what it is |", "|---|---|---|---|"]
    for loss in toplabel.losses.LOSSES.values():
        has = {"`k`": loss.top_k, "`gamma`": loss.smoothing}
        names = ", ".join(name for name, meant in has.items() if meant)
        rows.append(f"| `{loss.key}` | {labels[loss.labels]} | {names} | {loss.about} |")
    assert "\n".join(rows) in (repository / "docs/library.md").read_text(encoding="utf-8")
