"""Results that were made under another config, which a run that only shows leaves out."""

from pathlib import Path

import pytest
from snakemake.persistence.file import FilePersistence

from toplabel.reproduction import run
from toplabel.reproduction.data import fetch
from toplabel.reproduction.jobs import plain
from toplabel.reproduction.plan import Plan, PlanError
from toplabel.reproduction.targets import Targets
from toplabel.reproduction.tasks import Tasks

ROOT = Path(__file__).resolve().parents[2]
CONFIG = {
    "budget": "quick",
    "mirrors": [],
    "datasets": {
        "mine": {
            "title": "Mine",
            "task": "multiclass",
            "protocol": "own",
            "format": "table",
            "options": {"label": "kind"},
            "files": [{"name": "a.csv", "part": "all"}],
        }
    },
    "studies": {"own": {"title": "Own", "datasets": ["mine"], "methods": ["lr_multi", "tree"]}},
    "methods": {
        "tree": {
            "label": "Tree",
            "estimator": "sklearn.tree.DecisionTreeClassifier",
            "grid": {"max_depth": [1, 2]},
        }
    },
}


def planned(**changes):
    plan = Plan(ROOT, CONFIG | {"show": True} | changes)
    return plan, Tasks(plan, Targets(plan))


@pytest.fixture
def outdated(tmp_path, monkeypatch):
    """A function of a change of the config: the cells of a finished run of `CONFIG` that it leaves out."""
    monkeypatch.chdir(tmp_path)
    Path("data/raw/mine").mkdir(parents=True)
    Path("data/raw/mine/a.csv").write_text("x,kind\n1,a\n2,b\n")
    plan, tasks = planned()
    made = {}
    for cell in plan.asked:
        made |= run.tasks_of_cell(plan, tasks, cell)
    for file in made:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
    params = {file: sorted([repr(plain(task)), "'the sources'"]) for file, task in made.items()}
    monkeypatch.setattr(FilePersistence, "params", lambda self, path: params.get(str(path)))

    def cells(**changes):
        plan, tasks = planned(**changes)
        plan.outdated = run.outdated(plan, tasks)
        return plan, {f"{cell.dataset}/{cell.method}" for cell in plan.outdated}

    return cells


def test_the_same_config_leaves_nothing_out(outdated):
    studies = {"own": CONFIG["studies"]["own"] | {"title": "Another title"}}
    plan, cells = outdated(studies=studies)
    assert (cells, plan.missing) == (set(), [])


def test_a_change_of_a_method_leaves_its_results_out(outdated):
    tree = CONFIG["methods"]["tree"] | {"grid": {"max_depth": [3]}}
    plan, cells = outdated(methods={"tree": tree})
    assert cells == {"mine/tree"}
    assert [cell.method for cell in plan.cells] == ["lr_multi"]
    assert plan.missing == ["mine/tree"]


def test_a_change_of_a_data_set_leaves_nothing_to_show(outdated):
    mine = CONFIG["datasets"]["mine"] | {"options": {"label": "x"}}
    plan, cells = outdated(datasets={"mine": mine})
    assert cells == {"mine/lr_multi", "mine/tree"}
    with pytest.raises(PlanError, match="no results under this config, but under another one"):
        plan.cells  # noqa: B018


def test_results_without_a_record_are_shown(outdated, monkeypatch):
    monkeypatch.setattr(FilePersistence, "params", lambda self, path: None)
    assert outdated(budget="standard")[1] == set()


def test_own_files_are_summed_once_for_all_cells_of_a_set(outdated, monkeypatch):
    summed = []
    sum_of = fetch.file_sum
    monkeypatch.setattr(fetch, "file_sum", lambda path: summed.append(path) or sum_of(path))
    plan, cells = outdated()
    assert (len(plan.asked), cells) == (2, set())
    assert summed == ["data/raw/mine/a.csv"]
