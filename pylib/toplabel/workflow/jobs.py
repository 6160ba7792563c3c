"""What the scripts of `workflow/scripts` have in common: logs, errors, params back to objects."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.files import atomic_path
from toplabel.selection.fitting import Settings
from toplabel.selection.grids import Budget, Protocol, delta_grids, parse_protocol
from toplabel.selection.problems import Method

# Columns of the stages' tables that are not real numbers.
_TEXT = ("dataset", "method", "split", "metric", "status", "strategy", "budget", "at_edge")
_WHOLE = ("epochs",)

logger = logging.getLogger("toplabel")


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run a script's `main` with its log file; bad input ends in one line and exit status 1.

    An error that is not about input keeps its traceback, in the log as well.
    """
    path = Path(snakemake.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    try:
        main(snakemake)
    except ValueError as error:
        logger.error("%s", error)
        logger.debug("", exc_info=True)
        sys.exit(1)
    except Exception:
        logger.exception("the job failed")
        raise
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


def checkout(snakemake: Any) -> Path:
    """The folder that holds config/ and data/published/: where the script came from."""
    return Path(snakemake.scriptdir).resolve().parents[1]


def protocol_of(params: Any) -> tuple[Protocol, Budget]:
    """The protocol and the budget that the params of a rule describe (`Plan.protocol_slice`)."""
    return protocol_from(params.protocol, params.budget)


def protocol_from(entry: Mapping[str, Any], budget: str) -> tuple[Protocol, Budget]:
    """As `protocol_of`, from the params' values."""
    deltas = delta_grids(entry["deltas"], "params")
    protocol = parse_protocol(entry["name"], entry["protocol"], deltas, "params")
    return protocol, protocol.budgets[budget]


def method_of(params: Any) -> Method:
    """The method that the params of a rule describe."""
    return Method(**params.method)


def settings_of(params: Any) -> Settings:
    """The settings that the params of a rule describe; those it does not need have defaults."""
    return Settings(**params.settings)


def read_table(path: str) -> pd.DataFrame:
    """Read a stage's CSV file; numbers come back as the very same bits.

    Not by pandas' parser, whose default rounds differently from version to version.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for column in table.columns.difference(_TEXT):
        kind = int if column in _WHOLE else float
        table[column] = [kind(text) if text else float("nan") for text in table[column]]
    return table


def write_table(table: pd.DataFrame, path: str) -> None:
    """Write a stage's CSV file, whole or not at all; numbers with all their digits."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False)
