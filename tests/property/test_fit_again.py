"""Estimators that are fitted, changed, interrupted, pickled and fitted again, in any order."""

import pickle
import warnings
from unittest import mock

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from toplabel import MultilabelClassifier, TopKClassifier, certify
from toplabel._core.training import _Listener

STATUS = {"converged", "max_iter", "time_limit", "interrupted", "stalled", "imprecise"}
TOLERANCE = 1e-4
LOSSES = {
    TopKClassifier: [
        "svm_multi",
        "topk_svm_alpha",
        "topk_svm_beta",
        "topk_ent",
        "lr_multi",
        "svm_ova",
    ],
    MultilabelClassifier: ["svm_ml", "lr_ml", "svm_ova", "lr_ova"],
}


class FitAgain(RuleBasedStateMachine):
    """What holds after any fit: the status, the certificate, and that it is a solution if it says so."""

    @initialize(
        kind=st.sampled_from([TopKClassifier, MultilabelClassifier]),
        n=st.integers(6, 30),
        d=st.integers(1, 4),
        m=st.integers(3, 5),
        seed=st.integers(0, 1000),
        kernel=st.sampled_from(["linear", "linear", "rbf"]),
    )
    def begin(self, kind, n, d, m, seed, kernel):
        self.rng, self.m = np.random.default_rng(seed), m
        self.X = self.rng.normal(size=(n, d))
        self.model = kind(LOSSES[kind][0], tol=TOLERANCE, kernel=kernel, theta=0.5, warm_start=True)
        self.weights, self.status = None, None
        self.draw_labels()

    def draw_labels(self):
        n = len(self.X)
        self.y = self.rng.permutation(np.arange(n) % self.m)
        if isinstance(self.model, MultilabelClassifier):
            self.y = (self.rng.random((n, self.m)) < 0.4).astype(int)

    @rule(data=st.data(), gamma=st.sampled_from([0.0, 0.5]), k=st.integers(1, 2))
    def change_the_loss(self, data, gamma, k):
        loss = data.draw(st.sampled_from(LOSSES[type(self.model)]))
        top_k = {"k": k} if isinstance(self.model, TopKClassifier) else {}
        self.model.set_params(loss=loss, gamma=gamma, **top_k)

    @rule(C=st.sampled_from([1e-3, 0.1, 1.0, 30.0]))
    def change_c(self, C):
        self.model.set_params(C=C)

    @rule(max_iter=st.sampled_from([0, 1, 7, 10000]), time_limit=st.sampled_from([None, None, 0.0]))
    def change_the_limits(self, max_iter, time_limit):
        self.model.set_params(max_iter=max_iter, time_limit=time_limit)

    @rule(warm_start=st.booleans(), fit_intercept=st.booleans())
    def change_the_start(self, warm_start, fit_intercept):
        self.model.set_params(warm_start=warm_start, fit_intercept=fit_intercept)

    @rule(weighted=st.booleans())
    def change_the_rows(self, weighted):
        self.draw_labels()
        self.weights = self.rng.integers(1, 4, len(self.X)).astype(float) if weighted else None

    @rule()
    def fit(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message=".*labels occur in no row")
            self.model.fit(self.X, self.y, sample_weight=self.weights)
        self.status = self.model.status_
        self.fitted = self.model.get_params(), self.y, self.weights

    @rule(call=st.integers(1, 5))
    def fit_and_press_ctrl_c(self, call):
        calls = []
        original = _Listener._between

        def between(listener):
            calls.append(1)
            if len(calls) == call:
                raise KeyboardInterrupt
            return original(listener)

        try:
            with mock.patch.object(_Listener, "_between", between):
                self.fit()
        except KeyboardInterrupt:  # there is no threshold yet
            assert isinstance(self.model, MultilabelClassifier)
            self.status = None
        else:
            assert self.status == "interrupted" or len(calls) < call

    @precondition(lambda self: self.status)
    @rule()
    def pickle(self):
        scores = self.model.decision_function(self.X)
        self.model = pickle.loads(pickle.dumps(self.model))
        np.testing.assert_array_equal(self.model.decision_function(self.X), scores)

    @rule()
    def forget(self):
        self.model, self.status = clone(self.model), None

    @invariant()
    def the_model_is_what_it_says(self):
        if getattr(self, "status", None) is None:
            return
        model = self.model
        assert model.status_ in STATUS
        assert model.status_ != "converged" or model.relative_gap_ <= TOLERANCE
        assert np.isfinite(model.decision_function(self.X)).all()
        parameters, y, weights = self.fitted
        if model._previous is None or not parameters["warm_start"]:
            return
        solution = model._previous.solution
        if solution.status == "time_limit" and np.isinf(solution.primal):
            return  # a busy machine left no time for the certificate
        proof = certify(self.X, y, solution, sample_weight=weights)
        size = max(1.0, abs(proof.primal))
        assert abs(proof.primal - solution.primal) <= 1e-9 * size
        assert abs(proof.dual - solution.dual) <= 1e-9 * size
        assert proof.dual <= proof.primal + proof.rounding


FitAgain.TestCase.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestFitAgain = FitAgain.TestCase
