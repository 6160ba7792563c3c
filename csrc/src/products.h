/* SPDX-License-Identifier: MIT
 *
 * products.h: products of the rows of a block, which are read where they are, with the weights of
 * few classes, or with coefficients; ...32 in float32.
 */
#ifndef TL_PRODUCTS_H
#define TL_PRODUCTS_H

#include <stddef.h>

/* x are the addresses of the b rows of X (b, d); W (m, d), S and D (b, m), G (b, b). */
typedef struct tl_products {
    /* S = X W^T */
    void (*scores)(size_t b, size_t m, size_t d, const double *const *x, const double *w,
                   double *s);
    void (*scores32)(size_t b, size_t m, size_t d, const float *const *x, const float *w, float *s);
    /* Lower triangle (with diagonal) of G = X X^T; other entries are overwritten. */
    void (*gram)(size_t b, size_t d, const double *const *x, double *g);
    void (*gram32)(size_t b, size_t d, const float *const *x, float *g);
    /* W += D^T X */
    void (*update)(size_t b, size_t m, size_t d, const double *delta, const double *const *x,
                   double *w);
    void (*update32)(size_t b, size_t m, size_t d, const float *delta, const float *const *x,
                     float *w);
} tl_products;

/* Those for this processor; NULL where there are none for so many classes and features. They use
 * one thread. */
const tl_products *tl_products_for(size_t m, size_t d);

#endif /* TL_PRODUCTS_H */
