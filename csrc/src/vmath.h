/* SPDX-License-Identifier: MIT
 *
 * vmath.h: branch-free exp, log and V(t) = W(e^t) that compilers turn into vector code, for use
 * inside loops marked `omp simd` in functions marked TL_CLONES. Do not compile with -ffast-math:
 * the rounding constants below rely on the order of operations.
 */
#ifndef TL_VMATH_H
#define TL_VMATH_H

#include "internal.h"

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

/* e^x for x <= 709; below -708 it is 0. Error about one unit in the last place. */
TL_INLINE double tl_exp(double x) {
    const double log2e = 0x1.71547652b82fep+0;
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    const double inside = x < -708.0 ? -708.0 : (x > 709.0 ? 709.0 : x);
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
    return x < -708.0 ? 0.0 : y;
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

/* ln(1 + x) for 0 <= x <= 1, with the digits of a tiny x. */
TL_INLINE double tl_log1p(double x) {
    const double u = 1.0 + x;
    /* u has lost the tail of x; to first order ln(1 + x) = ln u + (x - (u - 1))/u */
    return tl_log(u) + (x - (u - 1.0)) / u;
}

/* x ln x, 0 at and below 0. */
TL_INLINE double tl_x_log_x(double x) {
    return x > 1e-300 ? x * tl_log(x) : 0.0;
}

/* One step of fourth order for w e^w = e^x from an estimate w with residual r = x - w - ln w. */
TL_INLINE double tl_v_step(double w, double r) {
    const double a = 1.0 + w;
    const double q = 2.0 * a * (a + (2.0 / 3.0) * r);
    return w + w * (r * (q - r)) / (a * (q - 2.0 * r));
}

/* V(x) = W(e^x) with a relative error below 5e-4, in three pieces that share one division: rational
 * functions, minimax fits, of W(z)/z in z = e^x on (0, e^2] and of V in x - 2 on [2, 30], and above
 * x - y + y/x with y = ln x to two digits. Below -708 it is V(-708). */
TL_INLINE double tl_v_start(double x) {
    /* z = e^x to four digits */
    const double least = x < -708.0 ? -708.0 : (x < 2.0 ? x : 2.0);
    const double shifted = least * 0x1.71547652b82fep+0 + TL_ROUND_MAGIC;
    const double part = least * 0x1.71547652b82fep+0 - (shifted - TL_ROUND_MAGIC);
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
    double over = 1.55725863 + u * (0.79365643 + u * (0.11835622 - u * 0.00183077));
    double under = 1.0 + u * (0.11943373 - u * 0.00189423);
    over = is_low ? z * (0.99990658 + z * (1.26882622 + z * 0.16210133)) : over;
    under = is_low ? 1.0 + z * (2.2637485 + z * (0.97136055 + z * 0.05076062)) : under;
    over = is_high ? y : over;
    under = is_high ? x : under;
    const double ratio = over / under;
    return is_high ? (x - y) + ratio : ratio;
}

/* V(x) from an estimate with a relative error below 6e-4: one step of fourth order. */
TL_INLINE double tl_v_refine(double x, double w) {
    const double ln2_hi = 0x1.62e42fee00000p-1, ln2_lo = 0x1.a39ef35793c76p-33;
    double e, f;
    tl_log_parts(w, &e, &f);
    const double s = f / (2.0 + f), z = s * s;
    /* ln w nearly cancels x for small w, and w does for large w: both before anything is rounded.
     */
    const double r = ((x - e * ln2_hi) - w) - (s * (2.0 + z * tl_log_series(z)) + e * ln2_lo);
    const double v = tl_v_step(w, r);
    /* w is right to the last digit above, and the result below rounds to 0. */
    return x > 1e16 ? w : (x < -708.0 ? 0.0 : v);
}

/* V(x). Relative error below 5e-16. */
TL_INLINE double tl_v(double x) {
    return tl_v_refine(x, tl_v_start(x));
}

/* V(x + r) from w = V(x) for small |r|: neither exp nor log. Relative error about r^4/100. */
TL_INLINE double tl_v_shift(double w, double r) {
    return tl_v_step(w, r);
}

#endif /* TL_VMATH_H */
