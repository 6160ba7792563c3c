/* SPDX-License-Identifier: MIT
 *
 * tuning.h: every number of the solver that was chosen and not derived, with what fixed it.
 * "Ablated" are rules that were left out, one at a time, on 42 problems to gaps of 1e-3 and 1e-6
 * (letter, scene, yeast, scaled satimage and optdigits, the benchmark's; passes, 2026-11-26).
 */
#ifndef TL_TUNING_H
#define TL_TUNING_H

/* ---- acceleration (solver_accelerate.c) ---- */

/* Passes of an outer step: an r that suits two follows changes soonest. */
#define TL_PASSES 2
/* The gap of an inner problem over its proximal term that r is led to, and how fast: r is
 * multiplied by (q/TL_QUOTIENT)^gain, a factor e^gain at most. Smooth losses took .97 and .92 times
 * the passes of the earlier rule (the ratio below, damped, with trials of other r); quotients of 1
 * and 5 took 1.02, 1.01 and .98, .93; gains of .1 and .05 took 1.06, .97 and 1.15, 1.06. In the
 * augmented Lagrangian a gain of .2 took more passes to 1e-6 on five of six problems (tabular 3574
 * for 2564 with .05). */
#define TL_QUOTIENT 3.0
#define TL_GAIN 0.2
#define TL_LAGRANGIAN_GAIN 0.05
/* The ratio of the moves of an outer step's two passes that r is led to for hinges that are not
 * smooth, until the augmented Lagrangian begins; near the best r on most losses and data of the
 * first release. */
#define TL_RATIO 0.8
#define TL_RATIO_GAIN 2.0
/* Larger ratios count as this one: an outlier must not multiply r by more than 4. */
#define TL_LARGEST_RATIO 1.5
/* Root mean square moves of this relative size are rounding. */
#define TL_MOVE_ROUNDING 1e-12
/* Plain passes, from this one on, whose ratio is below TL_FAST stay plain; chosen for the first
 * release. */
#define TL_FIRST_PASSES 2
#define TL_FAST 0.7
/* r at first, in units of max{1, C R^2}, and its bounds; chosen for the first release. */
#define TL_FIRST_R 0.3
#define TL_SMALLEST_FIRST_R 1.0
#define TL_LARGEST_FIRST_R 10.0
#define TL_SMALLEST_R 0.1
#define TL_LARGEST_R 10.0 /* in the same units */
/* The largest r that a caller may set, in these units: beyond, A leaves its domain by rounding. */
#define TL_LARGEST_FIXED_R 1e6
/* An r below counts as none: 1 - 1/(1 + r) would be rounding. */
#define TL_NO_R 1e-10

/* ---- augmented Lagrangian (solver_lagrangian.c) ---- */

/* gamma_k at first: 1 and .1 took as many passes on letter, scene and tabular. */
#define TL_FIRST_GAMMA 1.0
/* gamma_k falls by it: .3 to .7 took passes within 20 %. */
#define TL_GAMMA_FACTOR 0.5
/* Where it would no longer smooth anything but rounding. */
#define TL_LEAST_GAMMA 1e-6
/* Gap of the inner problem over that of the problem, at which the centre moves: .03 to .3 took
 * passes within 20 %. */
#define TL_SOLVED 0.1

/* ---- samples and shrinking (solver_update.c) ---- */

/* At least every TL_SAMPLE_EVERY-th row is sampled, about TL_SAMPLE_ROWS of many, and
 * TL_LEAST_SAMPLE of few: from three rows of 23 r was led astray.
 */
#define TL_SAMPLE_EVERY 8
#define TL_SAMPLE_ROWS 512
#define TL_LEAST_SAMPLE 64
/* Unchanged updates that count: a row is left out of 1, 3, .., 2^TL_MOST_UNCHANGED - 1 passes.
 * Ablated: 3 passes at most took 1.00 to 1.05 times as many passes as 15. Where the loss is smooth,
 * and in the augmented Lagrangian, r follows the gap of the inner problem, which resting rows keep
 * large: silhouettes (svm_multi, gamma 1) with C 10 took 776 passes in place of more than 952, with
 * C 100 a gap of .4 in place of 1.2 after 28 s; nine narrow problems took 1.01 times the time. */
#define TL_MOST_UNCHANGED 4
#define TL_MOST_UNCHANGED_SMOOTH 2

/* ---- when to evaluate and to stop (solve.c) ---- */

/* An estimate of the gap beyond this times tol needs no evaluation. */
#define TL_FAR 2.0
/* Without an estimate near tol, evaluate after so many epochs, or half as many as made: an
 * evaluation reads all rows. */
#define TL_LONGEST 8
/* What an estimate is multiplied with: at first, and within which bounds the ratio of the last
 * exact gap to its estimate is believed. */
#define TL_FIRST_FACTOR 0.7
#define TL_LEAST_FACTOR 0.05
#define TL_MOST_FACTOR 2.0
/* Windows without progress until the solver counts as stalled, their least length in epochs and as
 * a part of those made, the part of P and of the gap that has to be left, and how far D may swing
 * by rounding. */
#define TL_STALLED_WINDOWS 3
#define TL_STALLED_EPOCHS 5
#define TL_STALLED_PART 5
#define TL_STILL 0.99
#define TL_LARGEST_SWING 1e3

/* ---- warm starts (solver_start.c) ---- */

/* Rows that the search for the best factor reads, and with a Gram matrix those of ||X^T A||^2: any
 * factor is feasible, so a part of the rows is enough. */
#define TL_SEARCH_ROWS 512
#define TL_PRODUCT_ROWS 2048

/* ---- sizes that are refused (solver_create.c) ---- */

/* ||x_i||^2, the same times C n, ||W0||^2 and gamma/C stay within this; and C, where products run
 * in float32; and ||W|| of a start within so many times that. */
#define TL_LARGEST 1e200
#define TL_LARGEST32 1e30
#define TL_ROOM 1e6
/* C n stays above this: rows that count as absent since their C_i is below DBL_MIN are nothing
 * beside it. */
#define TL_LEAST_C 1e-250
/* The squared norms of rows that get a float32 copy, where they are not 0. */
#define TL_LEAST_NORM2 1e-20
#define TL_LARGEST_NORM2 1e20
/* The largest C ||x_i||^2 of rows with a float32 copy: by so much an update of row i may change its
 * scores. */
#define TL_LARGEST_CHANGE 1e6

/* ---- checks (solver_check.c) ---- */

/* The asymmetry of a Gram matrix that counts as rounding, relative to its largest entry. */
#define TL_SYMMETRY_TOLERANCE 1e-8
#define TL_SYMMETRY_TOLERANCE32 1e-5
/* Numbers that are checked between two questions whether the call is over. */
#define TL_CHECKED_PART ((size_t)1 << 20)

/* ---- evaluation (solver_objective.c) ---- */

/* A bound of rounding errors below this part of P - D does not need to be made smaller. */
#define TL_NEGLIGIBLE_ROUNDING 0.01

/* ---- layout (solver_create.c, storage_*.c, solver_memory.c) ---- */

/* Where rows are updated one by one, classes are padded to a multiple of this. */
#define TL_LANES 8
/* Rows whose scores are computed by one product where no update comes between. */
#define TL_EVALUATION_BLOCK 128
/* Rows that are not neighbours whose scores are computed by one product; at most a block. */
#define TL_SAMPLE_BLOCK 64
/* Neighbouring rows that stay together in windows: enough to read a file in pieces. */
#define TL_STRIP 64
/* Bytes of mapped features in use at a time, where the caller has not chosen windows. */
#define TL_BYTES_IN_USE ((size_t)256 << 20)

/* With at most so many dense features rows are updated one by one, without matrix products. */
#define TL_NARROW_FEATURES 64
/* Rows between two products: they read the weights, or the coefficients of all rows, once. With a
 * Gram matrix and TL_GRAM_CLASSES classes reading them costs as much as the product of 64 rows. */
#define TL_BLOCK 64
#define TL_GRAM_BLOCK 256
#define TL_GRAM_CLASSES 512
/* With more classes a BLAS is as fast as the own products. */
#define TL_OWN_CLASSES 128
/* A rounded score makes an update miss its optimum, and moves P - D by at most twice its error:
 * products go on in float64 where the errors of sampled scores are above this part of the gap. */
#define TL_ROUNDING_MARGIN 16.0

/* ---- working sets of pairs (pairs_*.c) ---- */

/* Multiplications from which on threads share them: about a quarter of a millisecond. */
#define TL_SHARED_WORK 1e6

/* What is added at least to the diagonal of a block, relative to its mean, before it is inverted:
 * rows beyond the number of features leave it singular. */
#define TL_BLOCK_SHIFT 1e-5
/* Free pairs whose own part of the directions is smaller follow others, as the classes of the top-k
 * SVM that share their cap; they are left out of the preconditioner. */
#define TL_LEAST_SHARE 0.2
/* Halvings of a Newton step until it is given up. */
#define TL_PAIRS_TRIALS 12
/* What a point misses of the domain, relative to its size, that counts as rounding. */
#define TL_PAIRS_ROUNDING 1e-15
/* The length of a step along which the dual has no curvature, in units of C: the projection onto
 * the domain ends it. */
#define TL_UNBOUNDED 1e3

/* ---- the certificate ---- */

/* What dual variables miss of their domain that counts as the rounding of a projection. */
#define TL_FEASIBLE 1e-14

/* ---- the caller's limits (tl_is_over) ---- */

/* Multiplications between two questions whether the call is over: 5 to 50 ms. */
#define TL_WORK_BETWEEN 3e7
/* What the loss of a class takes beside its score, in multiplications. */
#define TL_WORK_OF_CLASS 16.0
/* What the copy of a number from a large matrix takes. */
#define TL_WORK_OF_COPY 4.0

#endif /* TL_TUNING_H */
