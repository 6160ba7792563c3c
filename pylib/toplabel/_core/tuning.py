"""Every number of training in Python that was chosen and not derived, with what fixed it.

Those of the C library are in ``csrc/src/tuning.h``. "The 26 problems" are letter, satimage, optdigits,
yeast, emotions and scene as they are, and the benchmark's tabular, with hinges, smoothed hinges and
smooth losses at C 1 to 5e5, to gaps of 1e-3 and 1e-6, on one thread.
"""

from __future__ import annotations

# ---- Newton's method (newton.py) ----

FIRST_EXTRA = 10.0
"""Smoothing of the first outer step: below 1, rows without curvature remain."""
EXTRA_FACTOR = 0.5
"""By which it falls from one outer step to the next; not varied."""
LEAST_EXTRA = 1e-9
"""The least smoothing: below, it smooths nothing but rounding."""
NEAR = 3.0
"""Times `tol`: the gap of an inner problem at which an evaluation may be worth its time."""
ARMIJO = 1e-4
"""Part of the predicted fall that a step must have; the usual one."""
OBJECTIVE_ROUNDING = 1e-13
"""Part of the objective by which a step may miss that."""
TRIALS = 30
SHORTEST = 1e-6
"""Steps below, which move the scores by less of their size, are rounding."""
SHRINK_LEAST, SHRINK_MOST, HALVED = 0.1, 0.7, 0.5
"""Between which parts of a step the next trial lies, and where it lies without a slope to go by."""
LEAST_MU, MOST_MU = 0.1, 1e8
"""The least damping, beside the regulariser's 1, where there is any; and one that leaves no progress."""
SHORT, SHORT_MU, PARTIAL_MU = 0.1, 10.0, 3.0
"""A step of less than this part is short; what the damping is multiplied with after a short step, and
after one that is not whole. Not varied, as those below."""
GOOD_GAIN, POOR_GAIN, GOOD_MU, POOR_MU = 0.5, 0.25, 3.0, 2.0
"""The gain of a whole step, over that predicted, above which the damping is divided, and below which
it is multiplied, and by what."""
IDLE, IDLE_OUTER = 6, 20
"""Steps, and outer steps, without a smaller gap, after which rounding has ended the progress. From a good
start the first outer steps smooth too much to make the gap smaller."""
FALL, FALL_OUTER = 0.5, 0.99
"""The part of the smallest gap so far below which a step, and an outer step, has made it smaller."""
GRADIENT_ROUNDING = 1e-14
"""Gradient, relative to W, that is rounding."""
ONE_THREAD, MANY_THREADS = 2e5, 2e7
"""Multiplications of a product: up to the first OpenBLAS uses one thread, from the second on several
are worth their start. With two threads for smaller ones a fit of scikit-learn's digits took 11 s of
CPU in place of 0.1."""

# ---- the systems of Newton's method (systems.py) ----

DIRECT = 1000
"""Weights up to which the matrix may be factorised: a factor of 1,000 takes 8 MB and half a second."""
FACTOR, CG, CG_STEP = 0.1, 0.25, 4e4
"""Nanoseconds for each operation of a factor and of a product, and of a step of conjugate gradients
beside it. On the 26 problems, and 20 made ones, a factor at .06 and at .15 took as long within 5 % in the
geometric mean; without `CG_STEP` optdigits took 9 times as long to 1e-6."""
FIRST_STEPS = 4
"""Steps of conjugate gradients that the first system is assumed to take: with 10 and 40 the made problems
took 1.13 and 2 times as long, raw landsat and optdigits .96 and 1."""
REUSED, REUSED_SHIFT = 8, 10.0
"""A preconditioner is used again after at most so many steps, where the damping changed by less."""
BLOCK_BYTES = DENSE_BYTES = 1 << 28
"""Bytes of the preconditioner's blocks, beyond which their diagonals take their place; of sparse rows
that are made dense."""
CG_TOLERANCE, CG_STEPS = 0.1, 200
"""Tolerance of conjugate gradients, in the norm of the preconditioner, and their most steps: the inner
problem is solved as loosely."""

# ---- working sets of pairs (pairs.py) ----

PAIRS_FIRST = 10
"""Passes of coordinate ascent before the first choice of pairs."""
PAIRS_INNER = 0.1
"""Part of the gap at which the inner problem is solved."""
PAIRS_PASSES = 5
"""Passes over the pairs before each Newton step."""
PAIRS_NEWTON_STEPS = 20
"""The most Newton steps of an inner problem."""
PAIRS_LEAST_DAMPING, PAIRS_MOST_DAMPING = 1e-4, 10.0
"""Terms added to the curvature of the dual, in units of the squared norms: at least, where anything
is, and at most. Steps that are damped by more and do not make D larger are rounding."""
PAIRS_CG_TOLERANCE, PAIRS_LEAST_CG_TOLERANCE = 0.1, 1e-4
"""Tolerance of conjugate gradients, in the norm of the preconditioner: at first, and at least, where
whole steps do not halve the gap. With the first alone topk_svm_alpha without smoothing stalled at a gap
of 8e-3 where 80 rows of 6 features have singular blocks."""
PAIRS_FALL, PAIRS_CG_FACTOR = 0.5, 0.1
"""The part of the gap that a whole step leaves where the directions are right enough, and what the
tolerance of conjugate gradients is multiplied with where it leaves more; not varied."""
PAIRS_SHORT_DAMPING, PAIRS_PARTIAL_DAMPING = 10.0, 3.0
"""Factors of the damping of the dual, which play the roles of `SHORT_MU` and `PARTIAL_MU`; a whole step divides
by the latter. They were not varied."""
PAIRS_IDLE, PAIRS_MOVE = 6, 1e-3
"""Outer steps in which P and D move by less than this part of the gap, or of D where that is smaller,
after which rounding has ended the progress. With the gap alone silhouettes with C 1000 stalled at a
P of many times D."""
PAIRS_GRAM_BYTES = 1 << 30
"""Bytes of a Gram matrix in float32 that is kept; beyond, the blocks are computed from the rows."""
PAIRS_CLASSES = 10
"""Classes, of one label a row, from which the pairs may take over by themselves. With few of them, and with label
sets, the blocks are large and their systems stall: emotions (6 labels, RBF, no smoothing) ended at a gap of .07
after twice the time that passes took to 1e-3. On silhouettes there are 101."""

# ---- when Newton's method takes over (choice.py) ----

MOST_WEIGHTS = 1500
"""Weights up to which it is considered: scene with 1,764 weights took .7 s by coordinate ascent, 2.9 s by it."""
FEWEST_PASSES, MORE_PASSES = 6, 1.1
"""Before the fall of the gap says anything; by which they grow until it is asked again, which after each
pass took a quarter of the time of 1,300 rows of 19 features."""
RENT = 0.2
"""Part of its estimated cost that coordinate ascent may cost first: with .15 to .3 the 26 problems and the
made ones took as long within 3 % in the geometric mean."""
RECENT = 0.5
"""The fall of the gap is that since this part of the cost so far; not varied."""
NEARLY_ONE = 0.999
"""Gaps from here on count as no progress: D is next to nothing."""
STEP = 4.0
"""Passes that a Newton step costs. Beside a cost of both in nanoseconds, which took nine numbers, 77 problems took
1.01 times as long to 1e-3 and 1.00 to 1e-6, the worst 1.38; with 3 the same and .97, the worst 2.5."""
STEPS = {"smooth": (3.6, 0.5), "smoothed": (14.0, 1.3), "hinge": (3.5, 6.5)}
"""Newton steps: at first, and for each digit of the gap; geometric means there."""
PAIRS_RENT, PAIRS_MARGIN, PAIRS_BLIND = 0.8, 4.0, 100.0
"""The same as `RENT` for the pairs; how many times their cost the rest has to be: where it was 1.1 to 3.6
times, the pairs took up to 2.4 times as long (silhouettes with C up to .1, usps with C 1, to 1e-3); and how
many times it may be to be believed before coordinate ascent has cost as much: isolet with C 1 took up to
2.6 times as long where the gap had not begun to fall after 20 passes."""
PAIRS_STEPS = (4.0, 1.0)
"""Outer steps of the pairs: at first, and for each digit of the gap."""
PAIRS_PRODUCTS = 250.0
"""Multiplications of an outer step with each number of the blocks; beside these it costs a pass. Measured costs
are 270 to 330 on silhouettes and isolet, 200 on usps, 115 to 140 on news20 and topics, at most 60 with kernels."""
DENSE_GRAM, SPARSE_GRAM = 0.08, 15.0
"""The cost of a multiplication of the Gram matrix in float32, in units of one of a pass."""
LEAST_TOL = 1e-12

# ---- descent (descent.py, nonconvex.py) ----

REMEMBERED = 10
"""Steps that the quasi-Newton direction remembers; the usual number is 5 to 20."""
WOLFE, DESCENT_TRIALS = 0.9, 60
"""Part of the slope that a step may leave, the usual one, beside `ARMIJO`; trials of a line search, after which
the bracket is as narrow as numbers are."""
FLAT = 1e-14
"""Curvature of a step, relative to that of the first one, that is rounding."""
CONVERTED = 1 << 21
"""Numbers in a block of float32 rows that are converted to float64: 16 MiB."""
KERNEL_BLOCK = 1 << 24
"""Numbers of the kernel between new rows and the training rows that are there at a time: 128 MiB."""
ROW_BLOCK = 1 << 15
"""Numbers in a block of rows whose dual variables are converted to the simplex coding: 256 KiB."""
START_TOL = 1e-3
"""Relative gap of the convex solution from which a loss that is not convex is descended: only a start."""

# ---- limits (clock.py, method.py) ----

PART_ROUNDING = 1e-9
"""Passes that are rounding in a sum of parts of passes."""
GRACE, GRACE_PART = 0.25, 0.1
"""Seconds for the work that gives a run its result once its time is over, and the part of the time so far,
where that is more."""
CODING_PART = 0.1
"""Part of a limit of time that is kept for converting a solution to the simplex coding."""

# ---- coordinate ascent (sdca.py, problem.py, class_groups.py, run.py) ----

LAGRANGIAN = 100
"""Passes until the augmented Lagrangian begins: from pass 0 on, the benchmark's b took 367 passes in
place of 29."""
NEAR_C = 12.0
"""Factor between two C up to which the second run takes the weights and r of the first, not only its dual
variables. In steps of ten letter's grid took .9 times as long with them; from a hundred times and more other
fits took 1.15 times as long as from zero with them, .96 without (63 fits, up and down)."""
COPY_BYTES = 1 << 30
"""Most bytes of a float32 copy of the rows."""
FINE_TOL = 1e-4
"""The tolerance below which passes are in float64 where evaluations are asked for at intervals: none may come in
time to end float32."""
WINDOW_BYTES, LARGE_FILE = 1 << 28, 1 << 30
"""Bytes of a window of rows that are shuffled, and of the mapped file from which on there are windows, and
Newton's method, which reads all rows at each step, does not take over."""
NARROW = 64
"""Features up to which rows are updated one by one in any form (`TL_NARROW_FEATURES`)."""
SPARSE, PROBED = 0.2, 512
"""Share of non-zeros up to which sparse rows are faster than products of dense ones; rows looked at
first."""
GROUP = 64
"""Classes of a group of a one-vs-all loss on threads; halves of it take up to a quarter more time."""
SMALL_PAGES = 1 << 28
"""Bytes from which on the arrays of all classes are in small pages: half a second."""
WORK_PER_STEP = 1e8
"""Multiplications between two looks at the clock and Ctrl-C: up to a quarter of a second where there are
many classes. With 4e9, two to four seconds there, small problems took as long (0.99 to 1.06 times, by pairs)."""
