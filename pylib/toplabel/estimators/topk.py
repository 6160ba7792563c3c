"""`TopKClassifier`: one label per row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from toplabel._core.arrays import MatrixLike, as_weights
from toplabel._core.catalogue import LOSSES
from toplabel.estimators.base import SolverEstimator, is_logistic, seed_from
from toplabel.estimators.inputs import check_one_label
from toplabel.estimators.ranking import found_share
from toplabel.estimators.scores import class_scores
from toplabel.estimators.sets import SetsMixin

__all__ = ["TopKClassifier"]


class TopKClassifier(SetsMixin, SolverEstimator):
    """Linear or kernel classifier of one label per row, trained for the best guess or the k best
    ones.

    Minimises ``C sum_i w_i L(y_i, f(x_i)) + 1/2 (||W||_F^2 + ||b||^2 / s^2)`` with ``f(x) = W^T x +
    b`` to a certified duality gap; s is `intercept_scaling`.

    Parameters
    ----------
    loss : str or object, default="lr_multi"
        A key of `toplabel.losses.LOSSES` that takes one label per row, as ``"lr_multi"`` (softmax),
        ``"svm_multi"`` (Crammer and Singer), ``"topk_ent"``, ``"topk_svm_alpha"`` (top-k losses),
        ``"svm_ova"`` (one-vs-all). Or a loss of your own, an object as `toplabel.losses.get`
        describes.
    k : int, default=1
        The k of a top-k loss, below the number of classes. Ignored by the other losses.
    gamma : float, default=0.0
        Smoothing of the hinge losses; no parameter of a kernel. A positive value trains faster.
        Ignored by the other losses.
    C : float, default=1.0
        Weight of the loss, as in `sklearn.svm.LinearSVC`.
    fit_intercept : bool, default=True
        Fit b; else it is 0, as in the papers.
    intercept_scaling : float or "auto", default="auto"
        As in `sklearn.svm.LinearSVC`: b is the weight of a constant feature of this value, times
        the value, and is regularised with the other weights. The larger, the less. With a kernel:
        ``k(x, z) + intercept_scaling^2``. "auto": a third of the root of the mean squared norm of
        the rows, but at least 1 and at most 10.
    kernel : {"linear", "rbf", "precomputed"} or callable, default="linear"
        As in `toplabel.solve`.
    theta : float, "scale" or None, default=None
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)`` and needs it; "scale" is ``1 / (d
        X.var())``, which scikit-learn calls ``gamma="scale"``, for the rows whose weight is not 0.
        As there it does not depend on the other weights. Ignored by the other kernels.
    tol : float, default=1e-3
        Stop when ``|P - D| + e <= tol max(|P|, |D|)``, where e bounds the rounding error of P - D.
    max_iter : int, default=1000
        Passes over the data at most.
    eval_every : int, optional
        Epochs between two evaluations of the objectives; by default the solver evaluates where it
        expects to be done.
    random_state : int, RandomState instance or None, default=None
        Order of the rows; an int is the `seed` of `toplabel.solve`. The solution depends on it
        within tol.
    warm_start : bool, default=False
        Start from the dual variables of the previous fit, also when C, gamma or the kernel are
        others. It takes the same number of rows and columns, and the same labels, weights, loss and
        k; a fit with others starts anew, and with other classes fails. The optimum of a convex loss
        is the same from everywhere.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`. "balanced": the total weight of the
        rows over m times that of the class.
    verbose : int, default=0
        Print a line at each evaluation of the objectives.
    time_limit : float, optional
        Seconds of wall time.
    acceleration : "auto", False or float > 0, default="auto"
        As in `toplabel.solve`. Without it the training needs less memory, by that of the model.
    n_jobs : int or None, default=None
        As in `toplabel.solve`: threads for one-vs-all losses of more than 64 classes, for the matrix of
        ``kernel="rbf"`` and for working sets of pairs. The numbers do not depend on it. Otherwise one
        thread trains, beside those of BLAS; `GridSearchCV` and its like share out models.
    calibration : float in (0, 1) or None, default=None
        Share of the rows, drawn by `random_state`, that `fit` holds out: the model is trained without
        them, and `calibrate` is called with them.

    Attributes
    ----------
    classes_ : ndarray, (m,)
    coef_ : ndarray, (m, d), or (1, d) for two classes
        For the linear kernel.
    dual_coef_ : ndarray, (m, n), or (1, n) for two classes
        For the other kernels: coefficients of the training rows, ``f(x) = dual_coef_ @ k(X, x)``.
        At the optimum they are dual variables.
    intercept_ : ndarray, (m,) or (1,)
        b; zeros without `fit_intercept`.
    n_iter_ : int
        Epochs.
    dual_gap_, relative_gap_ : float
        ``P - D``, which bounds the distance to the optimum, and ``(|P - D| + e) / max(|P|, |D|)``.
        Infinite and NaN for a loss that is not convex, or your own without a conjugate.
    gradient_norm_ : float
        For a loss that is not convex, or your own: the norm of the gradient of P.
    history_ : list of `toplabel.Record`
    status_ : str
        ``"converged"``, or what ended the training before: ``"max_iter"``, ``"time_limit"``,
        ``"stalled"`` (rounding allows no further progress), ``"imprecise"`` (P - D is small enough,
        the bound of its rounding error is not), ``"interrupted"``.
    n_calibration_ : int
        After a calibration: the number of its rows.
    n_features_in_ : int
    feature_names_in_ : ndarray, (d,)
        When X has column names.

    Notes
    -----
    There is no `partial_fit`: the certificate needs a dual variable for each row, so all rows must
    be there; `warm_start` continues from the last fit, and rows may be mapped from a file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toplabel import TopKClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TopKClassifier(loss="topk_svm_alpha", k=2, gamma=1.0, random_state=0).fit(X, y)
    >>> model.predict_topk(X[:2], k=2)
    array([[0, 1],
           [0, 1]])
    """

    _LABELS = "one"
    _OTHER = "MultilabelClassifier"

    def __init__(
        self,
        loss: Any = "lr_multi",
        *,
        k: int = 1,
        gamma: float = 0.0,
        C: float = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float | str = "auto",
        kernel: str | Callable[..., Any] = "linear",
        theta: float | str | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        eval_every: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        verbose: int = 0,
        time_limit: float | None = None,
        acceleration: str | bool | float = "auto",
        n_jobs: int | None = None,
        calibration: float | None = None,
    ) -> None:
        self.loss = loss
        self.k = k
        self.gamma = gamma
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.kernel = kernel
        self.theta = theta
        self.tol = tol
        self.max_iter = max_iter
        self.eval_every = eval_every
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.verbose = verbose
        self.time_limit = time_limit
        self.acceleration = acceleration
        self.n_jobs = n_jobs
        self.calibration = calibration

    def fit(
        self, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> TopKClassifier:
        """Train.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            float32 and float64 are taken as they are. With ``kernel="precomputed"``: the Gram
            matrix, (n, n).
        y : array-like, (n,)
            Class names of any sortable type, at least two different ones.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row.

        Returns
        -------
        self
            The fitted classifier.

        Warns
        -----
        ConvergenceWarning
            When the training ended before the gap was tol.
        """
        return self._fit_and_calibrate(X, y, sample_weight)

    def _fit(self, X, y, sample_weight=None) -> TopKClassifier:
        self._loss()
        check_one_label(y)
        X, y = self._validated(X, y)
        check_classification_targets(y)
        weights = as_weights(sample_weight, len(y))
        classes, codes, weights = self._encoded(y, weights)
        seed = seed_from(self.random_state)
        solution = self._train(X, codes, weights, seed, len(classes), self._threads())
        self._keep(solution, X, classes, binary=len(classes) == 2)
        return self

    def _is_logistic(self) -> bool:
        key = self._fitted("loss")
        loss = LOSSES.get(key) if isinstance(key, str) else None
        at_one = loss.at_one if loss is not None and self._fitted("k") == 1 else ""
        return "lr_multi" in (key, at_one) or key == "lr_ova"

    @available_if(is_logistic)
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return probabilities of the classes.

        The losses "lr_multi" and "lr_ova" have them, and "topk_ent" and "topk_ent_tr" with k = 1, which
        are "lr_multi" then. With other losses there is no such method.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n, m)
            Of "lr_multi" ``exp(f_y(x)) / sum_z exp(f_z(x))``, of "lr_ova" ``1 / (1 +
            exp(-f_y(x)))``, divided by the sum of the row.
        """
        return np.exp(self._log_probabilities(X))

    def score(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **unknown: Any
    ) -> float:
        """Return the accuracy, the share of the rows whose class is predicted.

        `GridSearchCV` and its like take it where no `scoring` is given, whatever the loss and k are;
        ``scoring=toplabel.estimators.top_k_scorer(k)`` selects by the top-k accuracy.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.
        y : array-like, (n,)
            Class names.
        sample_weight : array-like, (n,), optional
            Weights of the rows in the share.
        **unknown : dict
            Refused: a k is an argument of `top_k_score`.

        Returns
        -------
        float
            A share, in [0, 1].
        """
        if unknown:
            name = next(iter(unknown))
            hint = "; top_k_score(X, y, k) is the top-k accuracy" if name == "k" else ""
            raise TypeError(f"score has no argument {name!r}{hint}")
        return super().score(X, y, sample_weight)

    def top_k_score(
        self,
        X: MatrixLike,
        y: MatrixLike,
        k: int | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Top-k accuracy: share of the rows with fewer than k classes scoring strictly higher than
        theirs.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.
        y : array-like, (n,)
            A class that is not in `classes_` counts as an error.
        k : int, 1..m, optional
            The parameter `k` by default.
        sample_weight : array-like, (n,), optional
            Weights of the rows in the share.

        Returns
        -------
        float
            A share, in [0, 1].

        Notes
        -----
        One minus TPAMI Eq. (1). Ties are in favour of the label, so for k = 1 it can be above
        `score`.
        """
        k = self.k if k is None else k
        scores, classes = class_scores(self, X)
        return found_share(y, scores, classes, k, sample_weight)
