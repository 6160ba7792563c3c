/* SPDX-License-Identifier: MIT
 *
 * pairs.h: the dual of a hinge, restricted to a working set of pairs of a row and a class. Each
 * file calls only those below it:
 *
 *   pairs_newton.c    Newton's method on the face: conjugate gradients, and a projected search
 *   pairs_face.c      the free pairs, their blocks, and the projector onto the directions that stay
 *   pairs_inverse.c   the inverse of a block
 *   pairs_pass.c      passes of coordinate ascent, and the gap of the restricted problem
 *   pairs.c           the working set and its blocks of the Gram matrix
 *
 * Pairs are in the order of the rows (an entry), and in that of the classes (a place): the pairs of
 * a class are neighbours there, and their scores change by a block of the Gram matrix, the products
 * of their rows.
 */
#ifndef TL_PAIRS_H
#define TL_PAIRS_H

#include "allocate.h"
#include "loss.h"
#include "solver.h" /* tl_watch */

/* The face of the dual's domain on which the point lies: its free pairs, in the order of the
 * classes. A row has the generalised Jacobian of its loss (tl_curvature), which for a hinge,
 * without the factor 1/gamma, is a projector. Where it acts on differences from the score of the
 * label, the projector of the row's dual variables is B (J - h h^T/(1 + ||h||^2)) B^T, h = J 1,
 * with B from the differences to the dual variables; of h there are two values, for the sides of
 * `middle`. */
typedef struct tl_face {
    size_t count;        /* free pairs */
    size_t rows;         /* that have any */
    size_t *place;       /* (count) */
    size_t *number;      /* (entries): which free pair a place is, or TL_NOT_FREE */
    size_t *class_start; /* (m + 1) */
    size_t *block_start; /* (m + 1): lower triangles, row after row */
    size_t *first;       /* (rows + 1): members of each row */
    size_t *middle;      /* (rows) */
    size_t *member;      /* (first[rows]): free pairs, without the label of a loss of differences */
    double *weight;      /* (first[rows]) */
    double *core;        /* (rows, 3) */
    double *common;      /* (rows, 3): h on both sides, 1/(1 + ||h||^2) */
    size_t *label;       /* (rows): the label's place among the free pairs, or TL_NOT_FREE */
    double *damping; /* (count): gamma/C_i where the conjugate is quadratic, and what is added */
    double *share;   /* (count): the diagonal of the projector */
    size_t *leading; /* (leading_start[m]): free pairs whose share is not small */
    size_t *leading_start; /* (m + 1) */
    size_t *inverse_start; /* (m + 1): lower triangles, too */
    float *gram;           /* the blocks, */
    float *inverse;        /* and the inverses of those of the leading pairs */
} tl_face;

#define TL_NOT_FREE SIZE_MAX

struct tl_pairs {
    const tl_loss_ops *ops;
    tl_params params;
    double C;
    size_t n, m;
    const int64_t *label_start;
    const int32_t *label;
    const double *weight; /* (n) or NULL */
    const double *norm2;  /* (n) */
    tl_watch watch;
    uint64_t random;

    /* Parts of the classes, which the caller's threads share. */
    size_t parts;
    void (*each)(void *user, size_t parts, void (*task)(void *, size_t), void *arg); /* or NULL */
    void *each_user;
    bool part_is_over[TL_MOST_PARTS];

    /* The working set. */
    size_t rows, entries;
    size_t room, pair_room, block_room, largest_room; /* of arrays, which only grow */
    size_t *row;                                      /* (rows): of the data */
    size_t *start;                                    /* (rows + 1) */
    int64_t *own_start;                               /* (rows + 1) */
    int32_t *own;        /* (own_start[rows]): the labels, as numbers among the row's entries */
    size_t *order;       /* (rows): of a pass */
    double *warm;        /* (rows, TL_WARM) */
    size_t *class_start; /* (m + 1) */
    size_t *block_start; /* (m + 1) */
    int32_t *column;     /* (entries): the class */
    size_t *place;       /* (entries) */
    double *dual;        /* (entries) */
    double *trial;       /* (entries) */
    int32_t *class_row;  /* (entries), by place */
    double *scores;      /* (entries), by place */
    double *moved;       /* (entries), by place */
    const float *blocks; /* (block_start[m]): of the caller */

    tl_face face;
    double *vectors;  /* (5, entries) of conjugate gradients */
    float *in, *out;  /* (entries) */
    float *inverting; /* for each part twice the largest block */
    int32_t *columns; /* (m) */
    double *work;     /* TL_WORK(m), and as much again */
};

/* ---- pairs.c ---- */

TL_INLINE size_t tl_pairs_width(const tl_pairs *self, size_t r) {
    return self->start[r + 1] - self->start[r];
}

/* Calls task(arg, part) for each part; on several threads, if it takes so many multiplications. */
void tl_pairs_each(const tl_pairs *self, double work, void (*task)(void *, size_t), void *arg);

/* Is the call to end, as one of the parts was told? */
bool tl_pairs_is_over(tl_pairs *self);

/* The first class of a part; the parts have about the same share of the numbers that begin at start
 * (m + 1). */
size_t tl_pairs_first(const tl_pairs *self, const size_t *start, size_t part);

/* Row r of the set as its loss sees it: its classes are those of its entries. */
TL_INLINE tl_row tl_pairs_row(const tl_pairs *self, size_t r) {
    const size_t i = self->row[r];
    return tl_row_of(self->params, tl_row_C(self->C, self->weight, i), self->norm2[i],
                     self->own_start, self->own, r);
}

/* ---- pairs_pass.c ---- */

/* scores += the blocks times `moved`, both by place. */
void tl_pairs_multiply_add(const tl_pairs *self, const double *moved, double *scores);

/* ---- pairs_inverse.c ---- */

/* The lower triangle, row after row, of the inverse of a positive definite matrix (n, n), of which
 * the lower triangle is read, and which is destroyed. False where rounding has left it indefinite.
 * work: n^2. */
bool tl_invert(size_t n, float *a, float *inverse, float *work);

/* ---- pairs_face.c ---- */

tl_status tl_pairs_find_face(tl_pairs *self, double damping);
/* v <- P v, for numbers of the free pairs. */
void tl_face_project(const tl_pairs *self, double *v);
/* out = (K + gamma/C) v */
void tl_face_multiply(tl_pairs *self, const double *v, double *out);
/* out = (K + gamma/C)^-1 v for the leading pairs, 0 for the others. */
void tl_face_divide(tl_pairs *self, const double *v, double *out);

#endif /* TL_PAIRS_H */
