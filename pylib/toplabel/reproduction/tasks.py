"""Tasks that rules hand to their scripts: one each, from the plan, as plain values.

A task has all that the script depends on besides its inputs, and nothing else, so Snakemake runs a job
again exactly where its answer may be another one. Each method of `Tasks` is the input function of a
rule, whose wildcards it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from toplabel.reproduction.compare import CompareTask
from toplabel.reproduction.config.catalogue import Cell
from toplabel.reproduction.config.competitors import COMPETITORS
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Budget, Protocol
from toplabel.reproduction.data import DescribedSet, DescribeTask, PrepareTask
from toplabel.reproduction.facts import RunTask
from toplabel.reproduction.jobs import plain
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.networks import FeaturesTask, FineTuneTask, NetworkTask
from toplabel.reproduction.plan import ALL_SPLITS, Plan
from toplabel.reproduction.report import ReportTask
from toplabel.reproduction.report.figures.registry import FigureTask, row_of
from toplabel.reproduction.selection import (
    CurveTask,
    EvaluateTask,
    FinalTask,
    PredictTask,
    TrainTask,
    TuneTask,
)
from toplabel.reproduction.targets import Targets
from toplabel.reproduction.timing import TimeTask


@dataclass(frozen=True)
class Tasks:
    """The tasks of the rules."""

    plan: Plan
    targets: Targets

    # ---- data sets -------------------------------------------------------------------------------

    def fetch(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of a raw file."""
        return plain(self.plan.raw.fetched[f"data/raw/{wildcards.raw}"])

    def prepare(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of a data set to prepare."""
        plan, name = self.plan, wildcards.dataset
        task = PrepareTask.of(
            plan.registry[name],
            C=plan.budget_of(name).C,
            sums=plan.raw.own_sums(name),
            is_own=name in plan.run.datasets,
        )
        return plain(task)

    def collect_datasets(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the overview of the data sets."""
        sets = tuple(map(DescribedSet.of, self.plan.registry.values()))
        return plain(DescribeTask(sets, self.targets.reasons()))

    # ---- cells -----------------------------------------------------------------------------------

    def tune(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of a job of tuning."""
        return plain(self._tune(wildcards.dataset, wildcards.method, wildcards.part))

    def _tune(self, dataset: str, name: str, part: str) -> TuneTask:
        plan, method = self.plan, self.plan.methods[name]
        protocol, budget = self._protocol(dataset, method)
        one_job = part == ALL_SPLITS
        metrics = self._metrics(dataset, method.name, protocol)
        return TuneTask(
            dataset=dataset,
            method=method.name,
            recipe=_measured_recipe(method, metrics),
            seed=plan.run.seed,
            tol=self._tol(method, budget.tol_tune or plan.run.tol_tune),
            max_iter=plan.run.max_iter_tune,
            gram_dtype=budget.gram_dtype,
            splits=tuple(plan.split_names(dataset)) if one_job else (part,),
            validation=protocol.validation,
            metrics=metrics,
            grid=method.grid_of(budget, plan.budget),
            C_scale=plan.registry[dataset].C_scale if method.scales_C else None,
        )

    def train(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the final training of a cell."""
        return plain(self._train(wildcards.dataset, wildcards.method))

    def _train(self, dataset: str, name: str) -> TrainTask:
        plan, method = self.plan, self.plan.methods[name]
        protocol, budget = self._protocol(dataset, method)
        metrics = self._metrics(dataset, method.name, protocol)
        return TrainTask(
            dataset=dataset,
            method=method.name,
            recipe=_measured_recipe(method, metrics),
            seed=plan.run.seed,
            tol=self._tol(method, budget.tol_train or plan.run.tol_train),
            max_iter=plan.run.max_iter_train,
            gram_dtype=budget.gram_dtype,
            selected_by=method.selected_by,
        )

    def evaluate(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the test metrics of a cell."""
        return plain(self._evaluate(wildcards.dataset, wildcards.method))

    def _evaluate(self, dataset: str, name: str) -> EvaluateTask:
        return EvaluateTask(dataset, name, self.plan.budget, self.plan.run.threshold)

    def predict(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the predictions of a cell."""
        return plain(self._predict(wildcards.dataset, wildcards.method))

    def _predict(self, dataset: str, name: str) -> PredictTask:
        entry = self.plan.registry[dataset]
        return PredictTask(
            recipe=recipe_of(self.plan.methods[name]),
            threshold=self.plan.run.threshold,
            transform=entry.transform,
            bias=entry.bias,
        )

    def learning_curve(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the test values of a cell by shares of the training rows."""
        names = wildcards.dataset, wildcards.method
        cell = Cell(*names)
        task = CurveTask(
            self._tune_all(cell),
            self._train(*names),
            self._evaluate(*names),
            self.plan.sizes(cell),
            self.plan.registry[cell.dataset].bias,
        )
        return plain(task)

    def final_model(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the model of a cell on all rows."""
        names = wildcards.dataset, wildcards.method
        tune = self._tune_all(Cell(*names))
        return plain(FinalTask(tune, self._train(*names), self._predict(*names)))

    def _tune_all(self, cell: Cell) -> TuneTask:
        """Return the task of tuning a cell by itself, with all splits."""
        return self._tune(cell.dataset, self.plan.methods[cell.method].tuned_as, ALL_SPLITS)

    def _protocol(self, dataset: str, method: Method) -> tuple[Protocol, Budget]:
        """Return the protocol of a cell, and its budget in this run."""
        name = method.protocol or self.plan.registry[dataset].protocol
        protocol = self.plan.protocols[name]
        return protocol, protocol.budgets[self.plan.budget]

    def _metrics(self, dataset: str, method: str, protocol: Protocol) -> tuple[str, ...]:
        """Return the metrics of a cell: those of all studies that it belongs to, else its protocol's."""
        of_plan = self.plan.studies.values()
        studies = [study for study in of_plan if (dataset, method) in study.pairs]
        chosen = [study.metrics or protocol.metrics for study in studies] or [protocol.metrics]
        return tuple(dict.fromkeys(chain.from_iterable(chosen)))

    def _tol(self, method: Method, tol: float) -> float:
        """Return the tolerance of a stage; that of what has no duality gap is no tighter than its own."""
        return tol if recipe_of(method).is_certified else max(tol, self.plan.run.tol_other)

    # ---- networks --------------------------------------------------------------------------------

    def train_network(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the network of a draw."""
        network = self.plan.registry[wildcards.dataset].network
        names = wildcards.dataset, wildcards.part
        return plain(NetworkTask(*names, network, self.plan.run.seed))

    def extract_features(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the features of networks as a data set."""
        entry = self.plan.registry[wildcards.dataset]
        task = FeaturesTask(
            dataset=entry.name,
            network=entry.network,
            seed=self.plan.run.seed,
            not_comparable=entry.not_comparable or "",
        )
        return plain(task)

    def fine_tune(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the fine-tuning of a draw."""
        plan = self.plan
        method = plan.methods[wildcards.method]
        protocol, _ = self._protocol(wildcards.dataset, method)
        task = FineTuneTask(
            dataset=wildcards.dataset,
            draw=wildcards.part,
            network=plan.registry[wildcards.dataset].network,
            seed=plan.run.seed,
            method=method.name,
            loss=method.loss,
            k=method.smallest_k,
            gamma=method.gamma,
            epochs=method.epochs,
            metrics=protocol.metrics,
            budget=plan.budget,
        )
        return plain(task)

    # ---- what is printed -------------------------------------------------------------------------

    def compare(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the comparison with the papers."""
        plan = self.plan
        studies = dict.fromkeys(name.partition("/")[0] for name in plan.run.studies)
        return plain(CompareTask(plan.checkout, plan.own_rows, tuple(studies), plan.run.threshold))

    def describe_run(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the description of the run."""
        studies = [asdict(study) for study in self.plan.studies.values()]
        return plain(RunTask(self.plan.checkout, self.plan.config, studies))

    def report(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of the report."""
        missing = self.plan.missing if self.plan.run.show else ()
        return plain(ReportTask(self.plan.checkout, tuple(missing)))

    def draw_figure(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of a figure."""
        row = row_of(wildcards.figure)
        shown = self.targets.figure_shows(wildcards.figure)
        return plain(FigureTask(wildcards.figure, row.design, row.source, **shown))

    def time(self, wildcards: Any) -> dict[str, Any]:
        """Return the task of times to measure."""
        name, plan = wildcards.timing, self.plan
        trains = bool(self.targets.timing_inputs(name))
        title = plan.registry[self.targets.timed_set].title if trains else ""
        return plain(TimeTask(name, plan.budget == "quick", title))


def _measured_recipe(method: Method, metrics: Sequence[str]) -> Recipe:
    """Return a recipe whose scores suit the metrics of its cell."""
    needs = bool(method.estimator) and "log_loss" in metrics
    return replace(recipe_of(method), log_probabilities=needs)


def recipe_of(method: Method) -> Recipe:
    """Return the recipe of a row of the registry of methods."""
    arguments = dict(method.params)
    competitor, leave_one_out = "", False
    if method.competitor:
        known = COMPETITORS[method.competitor]
        competitor, leave_one_out = known.code, known.leave_one_out
        arguments = {**known.fixed, **method.params}
        if known.top_k:
            arguments["k"] = method.k
    return Recipe(
        loss=method.loss,
        estimator=method.estimator,
        competitor=competitor,
        arguments=arguments,
        candidates=tuple(method.candidates) if method.estimator else (),
        k=method.k if method.loss and isinstance(method.k, int) else None,
        ks=method.ks,
        gamma=method.gamma,
        passes=method.passes,
        gap=method.gap,
        takes="set" if method.task == "multilabel" else "one",
        features=method.features,
        kernel=method.kernel,
        leave_one_out=leave_one_out,
    )
