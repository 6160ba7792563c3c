"""``python -m toplabel.reproduction.tables > docs/result-files.md``: the page on the columns of the
result files.
"""

from __future__ import annotations

import textwrap

from toplabel.reproduction.tables import cells, collected
from toplabel.reproduction.tables.table import Table

_HEAD = """# Result files

These are the CSV files between the stages, column by column. `python -m
toplabel.reproduction.tables` writes this page from `pylib/toplabel/reproduction/tables/`. The files
are UTF-8, with a header and rows in a fixed order; an empty cell is a missing number or an empty
text. A file with other columns, as another version may have left it, is refused by name. So is one
that is not what was written, by the sum beside it (`<name>.sha256`).
"""


def page() -> str:
    """Return the page as Markdown."""
    tables = (*cells.TABLES, *collected.COLLECTED.values(), collected.GRID)
    return "\n".join([_HEAD, *map(_section, tables)])


def _section(table: Table) -> str:
    digits = f" Numbers have {table.digits} digits." if table.digits else ""
    rows = [f"| `{one.name}` | {one.kind} | {one.about} |" for one in table.columns]
    about = textwrap.fill(table.about + digits, 100, break_on_hyphens=False)
    head = [f"## `{table.path}`", "", about, "", "| column | kind | |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


if __name__ == "__main__":
    print(page(), end="")
