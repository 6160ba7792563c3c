"""Builds the extension toplabel._native from csrc/ with cffi in API mode.

The declarations are the marked region of the public header; the compiler checks them again. The
BLAS comes at run time (toplabel._core.lib), so nothing is linked but the C library.

A second one, toplabel.reproduction._sorting, has the projections by sorting of the C tests, which the
library does without, for the figure of TPAMI Table 2.

With TOPLABEL_USE_SYSTEM=1 in the environment the first is linked with a libtoplabel that is
installed, of the same version; CFLAGS and LDFLAGS say where, if it is not among the system's.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import cffi

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"


def declarations() -> str:
    """Return the part of the public header that cffi can read."""
    header = (CSRC / "include" / "toplabel.h").read_text(encoding="utf-8")
    match = re.search(r"/\* TL_CFFI_BEGIN \*/(.*)/\* TL_CFFI_END \*/", header, re.DOTALL)
    if match is None:
        raise RuntimeError("toplabel.h has lost its TL_CFFI_BEGIN/TL_CFFI_END markers")
    return match.group(1).replace("TL_API ", "")


def relative(path: Path) -> str:
    """Return the path as setuptools wants it: relative to the project's root."""
    return path.relative_to(ROOT).as_posix()


# Never -ffast-math: vmath.h relies on the order of floating-point operations.
FLAGS = [
    "-std=c11",
    "-O3",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fopenmp-simd",
    "-fvisibility=hidden",
]
# Microsoft's compiler takes `restrict` as C11 alone, and leaves `#pragma omp simd` aside.
MSVC_FLAGS = ["/std:c11", "/O2", "/fp:precise"]
COMPILED = {
    "extra_compile_args": MSVC_FLAGS if sys.platform == "win32" else FLAGS,
    "libraries": [] if sys.platform == "win32" else ["m"],
    "py_limited_api": True,
}

ffi = cffi.FFI()
ffi.cdef(declarations())
# The callback of tl_solver_solve, which toplabel._core.training defines, tl_settings.is_over, of
# toplabel._core.run, and the one that shares work among threads, of toplabel._core.pairs.
ffi.cdef('extern "Python" int _tl_callback(void *, const tl_objective *);')
ffi.cdef('extern "Python" int _tl_is_over(void *);')
ffi.cdef('extern "Python" void _tl_each(void *, size_t, void (*)(void *, size_t), void *);')
if os.environ.get("TOPLABEL_USE_SYSTEM") == "1":
    ffi.set_source(
        "toplabel._native", "#include <toplabel.h>", libraries=["toplabel"], py_limited_api=True
    )
else:
    ffi.set_source(
        "toplabel._native",
        '#include "toplabel.h"',
        sources=[relative(path) for path in sorted((CSRC / "src").glob("*.c"))],
        depends=[relative(path) for path in sorted(CSRC.glob("*/*.h"))],
        include_dirs=[relative(CSRC / "include"), relative(CSRC / "src")],
        **COMPILED,
    )

sorting = cffi.FFI()
sorting.cdef("""
void sorted_topk(int is_beta, size_t rows, size_t n, const double *b, size_t k, double radius,
                 double bias, double *x, double *work);
void sorted_bipartite(size_t rows, size_t n, const double *b, size_t n_bar, const double *b_bar,
                      double radius, double *x, double *y, double *work);
""")
sorting.set_source(
    "toplabel.reproduction._sorting",
    '#include "prox_sorted.h"',
    depends=[relative(CSRC / "tests" / "prox_sorted.h")],
    include_dirs=[relative(CSRC / "tests")],
    **COMPILED,
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
