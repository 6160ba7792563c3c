"""The C library: the loaded extension, its BLAS, and status codes turned into exceptions."""

from __future__ import annotations

import ctypes

from scipy.linalg import cython_blas

from toplabel._native import ffi, lib
from toplabel.errors import ToplabelError

__all__ = ["check", "ffi", "lib", "version"]

version: str = ffi.string(lib.tl_version()).decode()


def _capsule_pointer(name: str) -> int:
    """Return the address of a BLAS function that SciPy exports to Cython code."""
    capsule = cython_blas.__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


def check(status: int) -> None:
    """Raise the exception of a status code of the library that is not ``TL_OK``: ``MemoryError``
    for ``TL_ERR_ALLOC``, else `ToplabelError`.
    """
    if status == lib.TL_OK:
        return
    if status == lib.TL_ERR_ALLOC:
        raise MemoryError("toplabel: out of memory")
    name = ffi.typeof("tl_status").elements[status]
    raise ToplabelError(status, name, ffi.string(lib.tl_status_text(status)).decode())


def _use_scipy_blas() -> None:
    table = ffi.new("tl_blas *")
    for name in ("dgemm", "dsyrk", "sgemm", "ssyrk"):
        setattr(table, name, ffi.cast(f"tl_{name}_fn", _capsule_pointer(name)))
    check(lib.tl_blas_set(table))


_use_scipy_blas()
