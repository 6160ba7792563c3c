/* SPDX-License-Identifier: MIT
 *
 * compiler.h: compiler attributes; not installed, like all headers but toplabel.h.
 */
#ifndef TL_COMPILER_H
#define TL_COMPILER_H

#include <float.h>
#include <stdint.h> /* a header of the C library, which defines __GLIBC__ */

/* x87 registers keep more digits than a double has, and projections then miss their sums by 1e-4.
 */
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "toplabel needs double precision: on 32-bit x86, compile with -msse2 -mfpmath=sse"
#endif

/* Run-time dispatch: one symbol, compiled for several instruction sets, chosen by the loader. Only
 * for static functions: the clones of others would be exported. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) &&           \
    defined(__linux__) && defined(__GLIBC__) && !defined(TL_NO_CLONES)
#define TL_HAS_CLONES 1
#define TL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TL_CLONES
#endif

#if defined(__GNUC__)
#define TL_UNREACHABLE() __builtin_unreachable()
#define TL_INLINE static inline __attribute__((always_inline))
#define TL_PREFETCH(address) __builtin_prefetch(address)
#else
#define TL_UNREACHABLE() ((void)0)
#define TL_INLINE static inline
#define TL_PREFETCH(address) ((void)(address))
#endif

#define TL_CACHE_LINE 64

#endif /* TL_COMPILER_H */
