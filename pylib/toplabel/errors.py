"""The exception of the C library."""

from __future__ import annotations

from typing import Any


class ToplabelError(RuntimeError):
    """An error that the C library reports.

    Misuse that Python detects first is a ``ValueError`` or ``TypeError`` with the argument's name.

    Parameters
    ----------
    code : int
        The value of ``tl_status``.
    name : str
        Its name, for example ``"TL_ERR_NOT_FINITE"``.
    text : str
        What it means, in words.
    """

    def __init__(self, code: int, name: str, text: str):
        super().__init__(f"{text} ({name})")
        self.code = code
        self.name = name
        self._arguments = (code, name, text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments  # errors travel between processes, as from a grid search
