"""Training with a convex loss: dual coordinate ascent in C, for one C after the other."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import sparse

from toplabel._core import newton, pairs, tuning
from toplabel._core.arrays import as_dual, as_matrix, check_mapped_finite, is_mapped
from toplabel._core.choice import Choice
from toplabel._core.method import Method
from toplabel._core.newton import Newton
from toplabel._core.pairs import Pairs
from toplabel._core.problem import LARGEST, Problem
from toplabel._core.run import Run, RunSettings, Start
from toplabel._core.solution import Record, Solution, Stage, join_intercept, split_intercept
from toplabel._core.threads import EndOfRun
from toplabel._core.training import Options, as_r, train
from toplabel.errors import ToplabelError

_METHODS: dict[str, type[Method]] = {"newton": Newton, "pairs": Pairs}


def solutions(
    problem: Problem, Cs: Sequence[float], options: Options, warm_start
) -> Generator[Solution, None, None]:
    """Yield the solution for each C, in ascending order, each from the one before; the first from
    the warm start. Limits hold for each C.
    """
    run = None
    reasons = {"newton": newton.reason_against, "pairs": pairs.reason_against}
    if options.method in reasons and (reason := reasons[options.method](problem)):
        raise ValueError(f"method={options.method!r} does not fit: {reason}")
    for i, C in enumerate(Cs):
        options = options.again() if i else options
        try:
            if run is None:
                run = _create(problem, C, options, _start(warm_start, problem, C))
            elif C / Cs[i - 1] > tuning.NEAR_C:
                run = _create(problem, C, options, Start(run.A, Cs[i - 1]))
            else:
                run.set_C(C, options.clock)
        except EndOfRun:
            warm_start = unfinished(problem, C, options, warm_start if run is None else run)
            run = None
            yield warm_start
            continue
        # Before the training: without memory for it a run that is done would be lost.
        out = np.empty(problem.weights_shape)
        run, ending = _solve(problem, C, options, run)
        A = run.A if i + 1 == len(Cs) else run.A.copy()
        solution = solution_at(
            problem, C, options, A, run.weights(out), run.coefficients(out), ending
        )
        yield solution if problem.exact is None else _of_exact_rows(problem, solution, options)


@dataclass(frozen=True)
class Ending:
    """The facts on a training that its `Solution` tells."""

    status: str
    history: list[Record]
    visits: int | None = None
    methods: tuple[Stage, ...] = ()
    r: float = 0.0


def solution_at(
    problem: Problem, C: float, options: Options, A, weights, coefficients, ending: Ending
) -> Solution:
    """Return the solution at these dual variables and weights, or coefficients; its objectives are
    those of the last record.
    """
    W, intercept = split_intercept(weights, coefficients, problem.constant)
    last = ending.history[-1]
    return Solution(
        A=A,
        W=W,
        coefficients=coefficients,
        intercept=intercept,
        intercept_scaling=problem.constant,
        primal=last.primal,
        dual=last.dual,
        relative_gap=last.relative_gap,
        epochs=last.epoch,
        status=ending.status,
        history=ending.history,
        visits=ending.visits,
        methods=ending.methods,
        r=ending.r,
        loss=problem.loss.key,
        k=problem.k,
        gamma=problem.gamma,
        C=C,
        kernel=problem.kernel,
        theta=problem.theta,
        seconds=options.clock.seconds,
        X=problem.kept_rows,
    )


def unfinished(problem: Problem, C: float, options: Options, start) -> Solution:
    """Return a solution, without a certificate, at the start (as `solutions` takes it) or where a run
    is: of a run that ended before its first pass. Dual variables without weights, which would take
    time, are left.
    """
    begin = Start(start.A.copy()) if isinstance(start, Run) else _start(start, problem, C)
    A = np.zeros((problem.labels.n, problem.labels.m)) if begin.dual is None else begin.dual
    if begin.C > C:
        A *= C / begin.C  # feasible for another C
    weights = start.weights() if isinstance(start, Run) else begin.weights
    coefficients = None
    if problem.is_gram:
        weights, coefficients = None, A.copy() if weights is None else weights
    elif weights is None and isinstance(start, Solution):
        weights = _weights_of(start, problem)
    if not problem.is_gram and weights is None:
        A[:] = 0.0
        center = problem.padded_center
        weights = np.zeros(problem.weights_shape) if center is None else center
    record = Record(0, np.inf, -np.inf, np.inf, 0.0, 0.0)
    ending = Ending(options.clock.why_to_end(), [record], visits=0)
    return solution_at(problem, C, options, A, weights, coefficients, ending)


def _solve(problem: Problem, C: float, options: Options, run: Run) -> tuple[Run, Ending]:
    """Return a run at the end of training, and how that went."""
    restart = partial(_at, problem, C, options)
    method: Method
    if options.method == "newton":
        method = Newton(problem, C, options, run, restart, [])
        run, status, history = method.solve()
        asked = (Stage("newton", method.steps, "asked for"),)
        return run, Ending(status, history, visits=0, methods=asked, r=run.r)
    visits = -run.visits
    choice = Choice(problem, options, run)
    status, history = train(run, options, choice.observe)
    visits += run.visits
    methods: tuple[Stage, ...] = (Stage("sdca", history[-1].epoch, "first"),)
    if status == "taken over":
        method = _METHODS[choice.method](problem, C, options, run, restart, history)
        run, status, history = method.solve()
        methods += (Stage(choice.method, method.steps, choice.why),)
    return run, Ending(status, history, visits, methods, run.r)


def _of_exact_rows(problem: Problem, solution: Solution, options: Options) -> Solution:
    """Return the solution with its objectives at the rows that were passed, not at float32 ones."""
    problem = replace(problem, features=problem.exact, exact=None)
    options = replace(options, max_iter=0, callback=None, watch={}, method="sdca")
    exact = next(solutions(problem, [solution.C], options, solution))
    names = ("primal", "dual", "relative_gap")
    objectives = {name: getattr(exact, name) for name in names}
    last = replace(solution.history[-1], **objectives)
    status = solution.status
    if exact.status == "interrupted":
        status = exact.status
    elif status == "converged" and not exact.relative_gap <= options.tol:
        status = "imprecise" if np.isfinite(exact.relative_gap) else exact.status
    model = {name: getattr(exact, name) for name in ("W", "coefficients", "intercept")}
    return replace(
        solution,
        **(model if exact.methods else {}),  # else the time was over
        status=status,
        history=[*solution.history[:-1], last],
        **objectives,
    )


def _at(problem: Problem, C: float, options: Options, dual: np.ndarray, weights: np.ndarray) -> Run:
    """Return a run that is at this point, without limits."""
    return _create(problem, C, options, Start(dual, weights=weights, r=1.0), has_limits=False)


def _create(
    problem: Problem, C: float, options: Options, start: Start, *, has_limits: bool = True
) -> Run:
    features = problem.features
    settings = RunSettings(
        seed=options.seed,
        window=_window(features, options.window),
        acceleration=as_r(options.acceleration),
        lagrangian=tuning.LAGRANGIAN,
        float32_passes=problem.float32_passes and _may_round(features, options),
    )
    try:
        return Run(problem, C, start, settings, clock=options.clock, has_limits=has_limits)
    except ToplabelError as error:
        if error.name == "TL_ERR_NOT_FINITE" and is_mapped(features):
            check_mapped_finite(features, "X")
        raise


def _may_round(features, options: Options) -> bool:
    """Return whether passes in float32 fit: the copy of dense rows is small, and evaluations are
    frequent enough to end them in time, or the gap asked for is above what they leave.
    """
    if sparse.issparse(features) or is_mapped(features) or options.max_iter == 0:
        return False
    is_seen = options.eval_every is None or options.tol >= tuning.FINE_TOL
    return is_seen and features.size * np.dtype(np.float32).itemsize <= tuning.COPY_BYTES


def _window(features, window: int | None) -> int:
    """Return rows to shuffle among; 0: all."""
    if window is not None:
        return window
    if not is_mapped(features) or features.nbytes <= tuning.LARGE_FILE:
        return 0
    return max(1024, tuning.WINDOW_BYTES // features[:1].nbytes)


def _start(warm_start, problem: Problem, C: float) -> Start:
    if warm_start is None:
        return Start()
    n, m = problem.labels.n, problem.labels.m
    if not isinstance(warm_start, Solution):
        return Start(as_dual(warm_start, n, m))
    dual = as_dual(warm_start.A, n, m)
    weights = _weights_of(warm_start, problem)
    # Weights for a far C, of other features or of another representation are of no use; the dual variables
    # are.
    is_near = 1 / tuning.NEAR_C <= C / warm_start.C <= tuning.NEAR_C
    if weights is None or not (warm_start.r and is_near):
        return Start(dual, warm_start.C)
    r = min(warm_start.r * (C / warm_start.C), LARGEST)
    return Start(dual, warm_start.C, weights, r)


def _weights_of(solution: Solution, problem: Problem) -> np.ndarray | None:
    """Return its weights, or with a Gram matrix its coefficients, where they fit the problem."""
    weights = solution.coefficients if problem.is_gram else solution.W
    if weights is not None and not problem.is_gram:
        weights = join_intercept(weights, solution.intercept, problem.constant)
    fits = weights is not None and weights.shape == problem.weights_shape
    return as_matrix(weights, "warm_start") if fits else None
