"""What each rule hands to its script: a job runs again where its answer may change, and only there.

`CHANGES` says for each key of a data set, a method, a protocol, a budget and a run which of the
rules of a cell have other params once the key changes. A key without a row fails the test, so that a
new key cannot be forgotten.
"""

import ast
from dataclasses import fields, replace
from functools import partial
from types import SimpleNamespace

import pytest

from toplabel.reproduction.config.catalogue import RunConfig, Study
from toplabel.reproduction.config.entry import (
    Divide,
    Entry,
    Network,
    PrintedStatistics,
    RawFile,
    Split,
)
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, Protocol, ThresholdRange
from toplabel.reproduction.jobs import plain, received
from toplabel.reproduction.plan import Plan, add_sources
from toplabel.reproduction.selection import TuneTask
from toplabel.reproduction.targets import Targets
from toplabel.reproduction.tasks import Tasks

NOTHING = set()
MODELS = {"tune", "train"}
RULES = ("prepare", "collect_datasets", "tune", "train", "evaluate", "predict")
WILDCARDS = SimpleNamespace(dataset="mine", method="m", part="main")
FILES = (RawFile("a.txt", "train"), RawFile("b.txt", "test"))
ENTRY = Entry(
    name="mine",
    title="Mine",
    task="multiclass",
    protocol="multiclass",
    format="libsvm",
    files=FILES,
)
AXIS = Axis(2.0, -1.0, 1.0, 1.0)

#: By key: another value, and the rules that run again.
OF_SET = {
    "title": ("Other", {"collect_datasets"}),
    "task": ("multilabel", {"prepare", "collect_datasets"}),
    "protocol": ("half_half", {"prepare", "tune"}),
    "licence": ("free", {"collect_datasets"}),
    "citation": ("us", {"collect_datasets"}),
    "features": ("others", {"collect_datasets"}),
    "published_key": ("letter", {"collect_datasets"}),
    "published_sources": (("tpami2017",), {"collect_datasets"}),
    "embedded": ("digits", {"prepare"}),
    "format": ("table", {"prepare"}),
    "options": ({"n_features": 3}, {"prepare"}),
    "folder": ("elsewhere", {"prepare"}),
    "files": ((replace(FILES[0], sha256="0" * 64), FILES[1]), {"prepare"}),
    "divide": (Divide("train", "random", {"c": 0.5, "d": 0.5}), {"prepare"}),
    "transform": ("normalise", {"prepare", "predict"}),
    "bias": (True, {"prepare", "predict"}),
    "folds": (3, {"prepare"}),
    "repeats": (2, NOTHING),  # the splits say it
    "C_scale": ("mean_squared_norm", {"prepare", "tune"}),
    "splits": ((Split("main", "test", None, "train"),), {"prepare"}),
    "statistics": ((PrintedStatistics("table 4", n_train="5"),), {"prepare", "collect_datasets"}),
    "not_comparable": ("half of it", {"prepare"}),
    "url": ("https://example.org", {"collect_datasets"}),
    "notes": ("a note", NOTHING),
    "waits_for": ("its authors", NOTHING),  # of a file that is fetched
    "is_published": (True, NOTHING),  # why a file is missing
    "network": (Network("digits", 10, epochs=1), NOTHING),  # its own rules, below
}
OF_METHOD = {
    "label": ("Other", NOTHING),
    "loss": ("lr_multi", {*MODELS, "predict"}),
    "k": ((2, 3), {*MODELS, "predict"}),
    "gamma": (0.5, {*MODELS, "predict"}),
    "kernel": ("rbf", {*MODELS, "predict"}),
    "labels": ("set", {*MODELS, "predict"}),
    "features": ("standardise", {*MODELS, "predict"}),
    "estimator": ("sklearn.svm.LinearSVC", {*MODELS, "predict"}),
    "competitor": ("toppush", {*MODELS, "predict"}),
    "params": ({"a": 1}, {*MODELS, "predict"}),
    "grid": ({"quick": AXIS}, {"tune"}),
    "protocol": ("half_half", {"tune"}),
    "variant_of": ("lr_multi", NOTHING),
    "passes": (3, {*MODELS, "predict"}),
    "gap": (1e-3, {*MODELS, "predict"}),
    "point": ({"C": 1.0}, {"tune"}),
    "selected_by": ("top1", {"train"}),
    "epochs": (2, {*MODELS, "predict"}),
}
OF_PROTOCOL = {
    "validation": ("fifth", {"tune"}),
    "metrics": (("top1",), {"tune"}),
    "splits_together": (True, NOTHING),  # the name of the job says which splits it tunes
}
OF_BUDGET = {
    "C": (AXIS, {"prepare", "tune"}),  # advice on the norms of the rows, too
    "theta": (AXIS, NOTHING),  # of kernels
    "thresholds": ((ThresholdRange(0.0, 1.0, 3),), {"tune"}),
    "folds": (4, {"tune"}),
    "refine": (0.5, {"tune"}),
    "extend": (3, {"tune"}),
    "splits": (1, NOTHING),  # here there is one
    "validation_rows": (7, {"tune"}),
    "screen_rows": (10, {"tune"}),
    "kernel_rows": (10, NOTHING),  # of kernels
    "patience": (5, {"tune"}),
    "tol_tune": (0.01, {"tune"}),
    "tol_train": (0.01, {"train"}),
    "gram_dtype": ("float32", MODELS),
}
OF_RUN = {
    "seed": (1, MODELS),
    "tol_tune": (1e-2, {"tune"}),
    "tol_train": (1e-4, {"train"}),
    "tol_other": (1e-2, NOTHING),  # of methods without a certificate
    "max_iter_tune": (7, {"tune"}),
    "max_iter_train": (7, {"train"}),
    "threshold": (0.5, {"evaluate", "predict"}),
    "mirrors": (("elsewhere",), NOTHING),
    "download": (False, NOTHING),
    "show": (True, NOTHING),
    "studies": (("multiclass",), NOTHING),
    # The grids, advice on them, and the name that stands beside each number.
    "budget": ("standard", {"prepare", "tune", "evaluate"}),
}


@pytest.fixture(scope="module")
def repository_plan(repository):
    return Plan(repository, {"studies": ["multiclass/letter"], "budget": "quick"})


def tasks_of(plan, entry=ENTRY, method=None, protocol=None, of_budget=None, **run):
    """The params of each rule of a cell, with some rows of the plan's registries replaced."""
    method = method or Method("m", "M", "topk_svm_alpha", k=2)
    plan = SimpleNamespace(**vars(plan))
    plan.run = replace(plan.run, **run) if run else plan.run
    plan.budget = plan.run.budget
    plan.registry = {**plan.registry, "mine": entry}
    plan.methods = {**plan.methods, "m": method}
    known = plan.protocols["multiclass"]
    known = replace(known, **protocol) if protocol else known
    if of_budget:
        other = replace(known.budgets["quick"], **of_budget)
        known = replace(known, budgets={**known.budgets, "quick": other})
    plan.protocols = {**plan.protocols, "multiclass": known}
    plan.protocol_of = partial(Plan.protocol_of, plan)
    plan.budget_of = partial(Plan.budget_of, plan)
    plan.split_names = lambda name: plan.registry[name].split_names
    plan.raw = SimpleNamespace(own_sums=lambda name: {})
    targets = SimpleNamespace(reasons=lambda: {})
    tasks = Tasks(plan, targets)
    return {rule: repr(getattr(tasks, rule)(WILDCARDS)) for rule in RULES}


def changed(before, after):
    return {rule for rule in RULES if before[rule] != after[rule]}


def other_entry(key, value):
    """The entry with another value, whatever else it has then to be without."""
    entry = SimpleNamespace(**{field.name: getattr(ENTRY, field.name) for field in fields(ENTRY)})
    entry.split_names = ENTRY.split_names
    setattr(entry, key, value)
    return entry


@pytest.mark.parametrize("key", [field.name for field in fields(Entry) if field.name != "name"])
def test_a_key_of_a_data_set_changes_what_depends_on_it(repository_plan, key):
    value, expected = OF_SET[key]
    before = tasks_of(repository_plan)
    assert changed(before, tasks_of(repository_plan, other_entry(key, value))) == expected


@pytest.mark.parametrize("key", [field.name for field in fields(Method) if field.name != "name"])
def test_a_key_of_a_method_changes_what_depends_on_it(repository_plan, key):
    value, expected = OF_METHOD[key]
    first = {"label": "M", "loss": "topk_svm_alpha", "k": 2}
    if key in ("estimator", "competitor"):
        first = {"label": "M", "loss": ""}
    if key == "labels":
        first = {"label": "M", "loss": "lr_ova"}
    if key == "params":
        first = {"label": "M", "loss": "mine.Loss"}
    before = first | ({"loss": "svm_ova"} if key in ("estimator", "competitor") else {})
    other = Method("m", **first | {key: value})
    tasks = tasks_of(repository_plan, method=Method("m", **before))
    assert changed(tasks, tasks_of(repository_plan, method=other)) == expected


@pytest.mark.parametrize(
    "key", [field.name for field in fields(Protocol) if field.name not in ("name", "budgets")]
)
def test_a_key_of_a_protocol_changes_what_depends_on_it(repository_plan, key):
    value, expected = OF_PROTOCOL[key]
    after = tasks_of(repository_plan, protocol={key: value})
    assert changed(tasks_of(repository_plan), after) == expected


@pytest.mark.parametrize("key", [field.name for field in fields(Budget)])
def test_a_key_of_a_budget_changes_what_depends_on_it(repository_plan, key):
    value, expected = OF_BUDGET[key]
    after = tasks_of(repository_plan, of_budget={key: value})
    assert changed(tasks_of(repository_plan), after) == expected


@pytest.mark.parametrize(
    "key", [field.name for field in fields(RunConfig) if field.name not in ("datasets", "methods")]
)
def test_a_key_of_the_run_changes_what_depends_on_it(repository_plan, key):
    value, expected = OF_RUN[key]
    after = tasks_of(repository_plan, **{key: value})
    assert changed(tasks_of(repository_plan), after) == expected


#: By key of the run: which of the rules that are of no cell run again; each run is described.
OF_NO_CELL = ("fetch", "time", "draw_figure", "compare", "report", "describe_run")
ALSO_RUN = {
    "studies": {"compare"},
    "budget": {"time"},
    "threshold": {"compare"},
}


@pytest.mark.parametrize(
    "key", [key for key in OF_RUN if key != "show"]
)  # it leaves most rules out
def test_a_key_of_the_run_changes_what_of_no_cell_depends_on_it(repository, key):
    names = SimpleNamespace(
        raw="letter/letter.scale.t", timing="softmax", figure="selection_letter", dataset="letter"
    )

    def tasks(**run):
        plan = Plan(repository, {"studies": ["multiclass/letter"], "budget": "quick"} | run)
        made = Tasks(plan, Targets(plan))
        return {rule: repr(getattr(made, rule)(names)) for rule in OF_NO_CELL}

    value = {"studies": ["digits", "multiclass/letter"], "mirrors": ["elsewhere"]}.get(
        key, OF_RUN[key][0]
    )
    before, after = tasks(), tasks(**{key: value})
    again = {rule for rule in OF_NO_CELL if before[rule] != after[rule]}
    assert again == {"describe_run"} | ALSO_RUN.get(key, set())


def test_a_study_chooses_what_is_selected_for(repository_plan):
    study = Study(name="s", title="S", datasets=("mine",), methods=("m",), metrics=("macro_f1",))
    before = tasks_of(repository_plan)
    plan = SimpleNamespace(**vars(repository_plan))
    plan.studies = {"s": study}
    assert changed(before, tasks_of(plan)) == {"tune"}
    other = replace(study, name="t", metrics=())
    plan.studies = {"s": study, "t": other}
    assert "('macro_f1', 'top1', 'top2'," in tasks_of(plan)["tune"]


def test_a_loose_tolerance_of_competitors_counts_for_them(repository_plan):
    toppush = Method("m", "M", competitor="toppush")
    before, after = (
        tasks_of(repository_plan, method=toppush, tol_other=tol) for tol in (1e-3, 1e-2)
    )
    assert changed(before, after) == MODELS


def test_a_set_of_the_users_own_gets_more_advice(repository_plan):
    plan = SimpleNamespace(**vars(repository_plan))
    plan.run = replace(plan.run, datasets={"mine": {}})
    assert changed(tasks_of(repository_plan), tasks_of(plan)) == {"prepare"}


def test_networks_depend_on_their_options_and_the_seed(repository):
    def tasks(network, **run):
        plan = Plan(repository, {"studies": ["finetuning"], **run})
        plan.registry["digits_network"] = replace(plan.registry["digits_network"], network=network)
        tasks = Tasks(plan, Targets(plan))
        names = SimpleNamespace(dataset="digits_network", method="svm_multi_ft", part="d0")
        names.method = next(name for name, row in plan.methods.items() if row.fine_tunes)
        rules = ("train_network", "extract_features", "fine_tune")
        return [getattr(tasks, rule)(names) for rule in rules]

    network = Plan(repository, {}).registry["digits_network"].network
    first = tasks(network)
    for other in (tasks(replace(network, epochs=7)), tasks(network, seed=1)):
        assert all(one != another for one, another in zip(first, other, strict=True))
    assert tasks(network, tol_tune=1e-2) == first


def test_a_task_is_received_as_it_was_planned(repository_plan):
    tasks = Tasks(repository_plan, Targets(repository_plan))
    names = SimpleNamespace(dataset="letter", method="topk_ent_k5", part="main")
    values = plain(tasks.tune(names))
    task = received(TuneTask, values)
    assert plain(task) == values
    assert task.grid.C.exponents() == Plan.budget_of(repository_plan, "letter").C.exponents()
    with pytest.raises(ValueError, match="max_iter"):
        received(TuneTask, values | {"max_iter": "many"})
    with pytest.raises(ValueError, match="seed"):
        received(TuneTask, {key: value for key, value in values.items() if key != "seed"})


def test_only_a_raw_file_does_not_depend_on_sources_also_in_a_module(repository_plan):
    with_sources = []
    rules = [
        SimpleNamespace(
            name=f"other_{name}",
            script=f"../scripts/{name}.py",
            set_params=lambda sources, name=name: with_sources.append(name),
        )
        for name in ("fetch_raw", "tune")
    ]
    add_sources(repository_plan, rules)
    assert with_sources == ["tune"]


def test_scripts_read_their_task_their_inputs_and_nothing_else(repository):
    """Of Snakemake's object they take inputs and outputs; the sum over sources names checkpoints."""
    allowed = {"input", "output", "params.sources", "params.places"}
    for path in sorted((repository / "workflow/scripts").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "snakemake":
                taken.add(node.attr)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "snakemake.params":
                taken.add(f"params.{node.attr}")
        assert taken - {"params"} <= allowed, path.name
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        registries = {"datasets", "methods", "protocols", "studies", "keys"}
        assert not {f"toplabel.reproduction.config.{name}" for name in registries} & modules, (
            path.name
        )
        assert "os.environ" not in ast.unparse(tree)


def test_each_rule_with_a_task_has_one_that_is_made_for_it(repository):
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted((repository / "workflow/rules").glob("*.smk"))
    )
    made = {name for name in vars(Tasks) if not name.startswith("_")}
    assert {name for name in made if f"task=as_params(tasks.{name})," in text} == made
