/* SPDX-License-Identifier: MIT
 *
 * simplex.h: the simplex coding; not installed.
 */
#ifndef TL_SIMPLEX_H
#define TL_SIMPLEX_H

#include "compiler.h"
#include "toplabel.h"

/* C[T] row by row: height[r] on the diagonal, step[r] to the right of it, zeros to the left. */
typedef struct tl_coding {
    size_t classes; /* T */
    double *height; /* (T - 1) */
    double *step;   /* (T - 1) */
} tl_coding;

/* height and step are the caller's memory. */
void tl_coding_fill(tl_coding *coding);
/* s_y = <c_y, f> for all y: f (T - 1), s (T). */
void tl_coding_scores(const tl_coding *coding, const double *f, double *s);
/* f = sum_y b_y c_y: b (T), f (T - 1). They may be the same array. */
void tl_coding_combine(const tl_coding *coding, const double *b, double *f);
/* <c_y, f>. */
double tl_coding_score(const tl_coding *coding, size_t y, const double *f);
/* f += factor c_y. */
void tl_coding_add(const tl_coding *coding, size_t y, double factor, double *f);

#endif /* TL_SIMPLEX_H */
