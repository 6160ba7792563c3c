/* SPDX-License-Identifier: MIT
 *
 * vmath.h: branch-free exp, log and V(t) = W(e^t) that compilers turn into vector code, for use
 * inside loops marked `omp simd` in functions marked TL_CLONES. Do not compile with -ffast-math:
 * the rounding constants below rely on the order of operations.
 */
#ifndef TL_VMATH_H
#define TL_VMATH_H

#include "compiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* x + magic - magic rounds to the nearest integer for |x| < 2^51. */
#define TL_ROUND_MAGIC 0x1.8p52

TL_INLINE double tl_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TL_INLINE uint64_t tl_to_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* condition ? a : b that stays a choice between two results. Of a plain one, compilers make two
 * paths with all that follows on each of them, and then vectorise both. */
TL_INLINE double tl_select(bool condition, double a, double b) {
    const uint64_t mask = (uint64_t)0 - (uint64_t)condition;
    return tl_from_bits((tl_to_bits(a) & mask) | (tl_to_bits(b) & ~mask));
}

TL_INLINE double tl_min(double a, double b) {
    return tl_select(a < b, a, b);
}

TL_INLINE double tl_max(double a, double b) {
    return tl_select(a > b, a, b);
}

/* e^x for x <= 709; below -708 it is 0. Error about one unit in the last place. */
TL_INLINE double tl_exp(double x) {
    const double log2e = 0x1.71547652b82fep+0;
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    const double inside = tl_max(tl_min(x, 709.0), -708.0);
    const double shifted = inside * log2e + TL_ROUND_MAGIC;
    const double k = shifted - TL_ROUND_MAGIC;
    const double r = (inside - k * ln2_hi) - k * ln2_lo;
    /* Taylor series on |r| <= 0.347; the first omitted term is below 1e-17. */
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = (p * r) * r + r; /* e^r - 1 */
    const uint64_t exponent = (tl_to_bits(shifted) << 52) + 0x3ff0000000000000ULL;
    const double scale = tl_from_bits(exponent);
    const double y = scale + scale * p;
    return tl_select(x < -708.0, 0.0, y);
}

/* x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for normal positive x. */
TL_INLINE void tl_log_parts(double x, double *e, double *f) {
    const uint64_t offset = tl_to_bits(x) - 0x3fe6a09e667f3bcdULL; /* bits of sqrt(1/2) */
    /* The exponent as a double without an integer conversion (AVX2 has none for 64 bits): biased to
     * be positive. */
    const uint64_t biased = (offset + (1024ULL << 52)) >> 52;
    *e = tl_from_bits(biased | 0x4330000000000000ULL) - (0x1p52 + 1024.0);
    *f = tl_from_bits((offset & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL) - 1.0;
}

/* (2 atanh(s) - 2 s)/s^3 with z = s^2, |s| <= 0.1716; minimax coefficients of the C library fdlibm.
 */
TL_INLINE double tl_log_series(double z) {
    double r = 1.479819860511658591e-01;
    r = r * z + 1.531383769920937332e-01;
    r = r * z + 1.818357216161805012e-01;
    r = r * z + 2.222219843214978396e-01;
    r = r * z + 2.857142874366239149e-01;
    r = r * z + 3.999999999940941908e-01;
    return r * z + 6.666666666666735130e-01;
}

/* ln x for normal positive x. Error about one unit in the last place. */
TL_INLINE double tl_log(double x) {
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    double e, f;
    tl_log_parts(x, &e, &f);
    const double s = f / (2.0 + f), z = s * s;
    const double half_square = 0.5 * f * f;
    return e * ln2_hi -
           ((half_square - (s * (half_square + z * tl_log_series(z)) + e * ln2_lo)) - f);
}

/* ln(1 + x) for -1 < x <= 1, with the digits of a tiny x. */
TL_INLINE double tl_log1p(double x) {
    const double u = 1.0 + x;
    /* u has lost the tail of x; to first order ln(1 + x) = ln u + (x - (u - 1))/u */
    return tl_log(u) + (x - (u - 1.0)) / u;
}

/* x ln x, 0 at and below 0. */
TL_INLINE double tl_x_log_x(double x) {
    return tl_select(x > 1e-300, x * tl_log(x), 0.0);
}

/* V(x) = W(e^x) is over/under + base with a relative error below 5e-4, in three pieces: rational
 * functions, minimax fits, of W(z)/z in z = e^x on (0, e^2] and of V in x - 2 on [2, 30], and above
 * y/x + (x - y) with y = ln x to two digits. For x < least it is V(least). */
TL_INLINE void tl_v_fraction(double x, double least, double *over, double *under, double *base) {
    /* z = e^x to four digits */
    const double inside = tl_max(tl_min(x, 2.0), least);
    const double shifted = inside * 0x1.71547652b82fep+0 + TL_ROUND_MAGIC;
    const double part = inside * 0x1.71547652b82fep+0 - (shifted - TL_ROUND_MAGIC);
    const double power =
        0.99992807 + part * (0.69326099 + part * (0.24261112 + part * 0.055171668));
    const double z = power * tl_from_bits((tl_to_bits(shifted) << 52) + 0x3ff0000000000000ULL);

    /* ln x from the bits of x */
    const uint64_t bits = tl_to_bits(x);
    const double e = tl_from_bits((bits >> 52) | 0x4330000000000000ULL) - (0x1p52 + 1023.0);
    const double f = tl_from_bits((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL) - 1.0;
    const double y = 0.6931471805599453 * (e + f * (1.3465553 - 0.3465553 * f));

    const bool is_low = x < 2.0, is_high = x > 30.0;
    const double u = x - 2.0;
    double p = 1.55725863 + u * (0.79365643 + u * (0.11835622 - u * 0.00183077));
    double q = 1.0 + u * (0.11943373 - u * 0.00189423);
    p = tl_select(is_low, z * (0.99990658 + z * (1.26882622 + z * 0.16210133)), p);
    q = tl_select(is_low, 1.0 + z * (2.2637485 + z * (0.97136055 + z * 0.05076062)), q);
    *over = tl_select(is_high, y, p);
    *under = tl_select(is_high, x, q);
    *base = tl_select(is_high, x - y, 0.0);
}

/* x - w - ln w. ln w nearly cancels x for small w, and w does for large w: both before anything is
 * rounded. Where w is huge it is rounding error alone, and clipped. */
TL_INLINE double tl_v_residual(double x, double w) {
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    double e, f;
    tl_log_parts(w, &e, &f);
    const double s = f / (2.0 + f), z = s * s;
    const double r = ((x - e * ln2_hi) - w) - (s * (2.0 + z * tl_log_series(z)) + e * ln2_lo);
    return tl_max(tl_min(r, 1.0), -1.0);
}

/* One step of fourth order for w e^w = e^x from an estimate w with residual r = x - w - ln w.
 * From w = V(x) it is V(x + r) for a small |r|: its relative error is about r^4/100. */
TL_INLINE double tl_v_step(double w, double r) {
    const double a = tl_min(1.0 + w, 1e100); /* no overflow in squares */
    const double q = 2.0 * a * (a + (2.0 / 3.0) * r);
    return w + w * ((r * (q - r)) / (a * (q - 2.0 * r)));
}

/* V(x). Relative error below 5e-16; 0 below -708. */
TL_INLINE double tl_v(double x) {
    double over, under, base;
    tl_v_fraction(x, -708.0, &over, &under, &base);
    const double w = over / under + base;
    return tl_select(x < -708.0, 0.0, tl_v_step(w, tl_v_residual(x, w)));
}

/* ---- V and its derivatives, by way of u = 1/(1 + V): V' = V u, V'' = V u^3 ---- */

/* Below this, V counts as 0: smaller numbers could leave the range of normal ones. */
#define TL_V_LEAST (-600.0)

/* V with a relative error below 5e-4, for x < 1e30. */
TL_INLINE void tl_v_rough(double x, double *v, double *u) {
    double over, under, base;
    tl_v_fraction(x, TL_V_LEAST, &over, &under, &base);
    const double total = over + under * (1.0 + base), inverse = 1.0 / (under * total);
    *v = over * total * inverse + base;
    *u = under * under * inverse;
}

/* V(x) from an estimate with a relative error below 8e-4, by the same step. Its denominator gives
 * 1/(1 + w) too, and that u by a series. Relative error 5e-15 of V, 1e-12 of u. */
TL_INLINE void tl_v_polish(double x, double *v, double *u) {
    const double w = *v, r = tl_v_residual(x, w), a = 1.0 + w;
    const double q = 2.0 * a * (a + (2.0 / 3.0) * r), slope = q - 2.0 * r;
    const double inverse = 1.0 / (a * slope);
    const double change = w * (r * (q - r)) * inverse;
    const double first = slope * inverse, d = change * first;
    *v = tl_select(x < TL_V_LEAST, 0.0, w + change);
    *u = first * (1.0 - d * (1.0 - d * (1.0 - d)));
}

/* V(x + r) by Taylor's series; relative error r^4/24. */
TL_INLINE double tl_v_taylor(double v, double u, double r) {
    const double k = u * u * r;
    return v + v * u * r * (1.0 + 0.5 * k * (1.0 + (1.0 - 2.0 * v) * k * (1.0 / 3.0)));
}

#endif /* TL_VMATH_H */
