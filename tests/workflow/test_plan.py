"""What the Snakefile uses: sources and plans."""

import copy
import dataclasses
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from running import ROOT, copy_checkout, count_jobs

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.config.protocols import Axis
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.config.studies import load_studies
from toplabel.reproduction.data import fetch
from toplabel.reproduction.figures import FIGURES, MATHEMATICS, row_of, table_files
from toplabel.reproduction.report.pages import RESERVED
from toplabel.reproduction.tables.collected import COMPARISON
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.layers import source_of
from toplabel.reproduction.workflow.plan import Plan, PlanError
from toplabel.reproduction.workflow.shown import Shown
from toplabel.reproduction.workflow.targets import Targets


@pytest.fixture(scope="module")
def config():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def plan(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    return Plan(ROOT, config | {"download": False})


def test_names_of_results_depend_on_the_registry(config, tmp_path):
    sums = []
    for folder in (tmp_path / "before", tmp_path / "after"):
        copy_checkout(folder)
        registry = folder / "config/datasets.yaml"
        text = registry.read_text(encoding="utf-8")
        if sums:
            registry.write_text(text.replace("    published_sources", "    # "), encoding="utf-8")
        plan = Plan(folder, config)
        sums.append((plan.names_sum(), plan.claims_sum()))
    assert sums[0][0] != sums[1][0]
    assert sums[0][1] != sums[1][1]


# ---- sources ------------------------------------------------------------------------------------


def test_a_set_without_files_is_asked_for_at_its_address_when_that_is_allowed(
    tmp_path, monkeypatch
):
    letter = load_registry(ROOT / "config/datasets.yaml")["letter"]
    asked = []
    monkeypatch.setattr(fetch, "unreachable", lambda url: asked.append(url) or "no answer")
    assert fetch.missing_reason(letter, tmp_path, [], False)
    assert asked == []
    assert "no answer" in fetch.missing_reason(letter, tmp_path, [], True)
    assert len(asked) == 1  # one file of each host
    monkeypatch.setattr(fetch, "unreachable", lambda url: "")
    assert fetch.missing_reason(letter, tmp_path, [], True) == ""


# ---- plans --------------------------------------------------------------------------------------


def _full(config):
    return config | yaml.safe_load((ROOT / "config/full.yaml").read_text(encoding="utf-8"))


def test_the_whole_graph_stays_small(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for budget in ("standard", "paper"):
        plan = Plan(ROOT, _full(config) | {"budget": budget})
        cells = plan.cells_of_studies(plan.config["studies"])  # as if all data sets were at hand
        own = [cell for cell in cells if not plan.methods[cell.method].selected_by]
        units = [unit for cell in own for unit in plan.units(*cell.names)]
        assert len(units) == len(set(units))
        assert {unit for cell in cells for unit in plan.units(*cell.names)} == set(units)
        assert count_jobs(plan, cells) < 3700  # a job a grid point or fold would be ten times that


def test_the_full_config_lists_all_studies_but_those_of_other_features(config):
    rest = set(load_studies(ROOT / "config/studies")) - {*_full(config)["studies"]}
    assert rest == {"multiclass_features"}


def test_budgets_give_kernels_their_blocks(config, plan):
    def blocks(plan, dataset, method):
        return [Path(block).name for block in plan.blocks(dataset, method, "main")]

    paper = Plan(ROOT, config | {"budget": "paper"})
    assert blocks(paper, "yeast", "svm_ml_rbf") == [f"main.block{i}.npz" for i in range(4)]
    assert blocks(paper, "yeast", "svm_ml") == []
    assert blocks(plan, "yeast", "svm_ml_rbf") == blocks(plan, "delicious", "svm_ml_rbf") == []
    assert plan.units("yeast", "svm_ml_rbf") == ["results/yeast/svm_ml_rbf/tune/main.npz"]


def test_one_job_tunes_a_split_or_all_that_take_little(plan):
    assert plan.units("circle", "svm_multi") == ["results/circle/svm_multi/tune/all.npz"]
    assert plan.splits_of("circle", "all") == plan.split_names("circle")
    tens = [f"results/sun397/lr_multi/tune/s{i:02d}.npz" for i in range(1, 11)]
    assert plan.units("sun397", "lr_multi") == tens
    assert plan.splits_of("sun397", "s03") == ["s03"]


def test_folds_drawn_again_are_of_the_set_that_has_the_files(plan, tmp_path):
    """One job tunes all draws; neither figures nor the table of thresholds show them."""
    assert plan.origin_of("scene_seeds") == "scene"
    assert plan.origin_of("scene") == "scene"
    reason = plan.reason_missing("scene")
    assert reason.startswith("scene-train.arff")
    assert plan.reason_missing("scene_seeds") == reason
    assert plan.reason_not_at_hand("scene_seeds") == reason
    assert plan.units("scene_seeds", "svm_ml") == ["results/scene_seeds/svm_ml/tune/all.npz"]
    assert plan.splits_of("scene_seeds", "all") == [f"s{i:02d}" for i in range(10)]
    assert plan.blocks("scene_seeds", "svm_ml_rbf", "all") == []
    for name in ("scene", "scene_seeds"):
        meta = tmp_path / f"results/{name}/data/meta.json"
        meta.parent.mkdir(parents=True)
        meta.touch()
    plan.reason_missing.cache_clear()
    plan.config["studies"] = ["scene", "scene_seeds"]
    targets = Targets(plan)
    assert {cell.dataset for cell in targets.wanted()} == {"scene", "scene_seeds"}
    assert {path.split("/")[1] for path in shown(plan).strategies()} == {"scene"}
    assert targets.figures_of(targets.wanted()) == ["selection_scene", "gaps"]
    assert "selection_scene_seeds" not in targets.named()
    tables = targets.tables_of(targets.cells("scene_seeds"))
    assert tables == ["fold_seeds", "fold_seeds_rbf"]


def test_a_set_without_thresholds_needs_no_job_for_them(plan):
    assert plan.thresholds("letter", "lr_multi") == "results/letter/lr_multi/selection.csv"
    assert plan.thresholds("yeast", "lr_ml") == "results/yeast/lr_ml/thresholds.csv"


def test_registered_splits_are_those_of_the_prepared_sets(plan):
    from toplabel.reproduction.data.embedded import EMBEDDED

    for name in EMBEDDED:
        options = plan.registry[name].options
        small = options | ({"n_test": 10} if name == "circle" else {})
        splits = [split.name for split in EMBEDDED[name](**small).splits]
        assert plan.split_names(name) == splits


def test_slices_hold_what_results_depend_on_and_nothing_else(plan):
    entry = plan.entry_slice("letter")
    assert {"files", "splits", "options"} <= set(entry)
    assert not {"notes", "title", "citation", "licence"} & set(entry)
    tuned, trained = (plan.task(stage, "digit_scenes", "lr_ml") for stage in ("tune", "train"))
    assert tuned.budget == plan.budget_of("digit_scenes")
    assert tuned.protocol.budgets == {}
    named = dataclasses.replace(plan.methods["lr_ml"], label="another")
    plan.methods = {**plan.methods, "lr_ml": named}
    looser = {"max_epochs_train": 7, "eps_train": 1e-4}
    plan.run = dataclasses.replace(plan.run, **looser)
    assert plan.task("tune", "digit_scenes", "lr_ml") == tuned
    assert plan.task("train", "digit_scenes", "lr_ml") != trained
    plan.run = dataclasses.replace(plan.run, max_epochs_tune=5)
    assert plan.task("tune", "digit_scenes", "lr_ml") != tuned


def test_snakemake_sees_every_change_of_a_fit(plan):
    """It compares the text of what Python has built in, and ignores objects of other classes."""
    task = plan.task("tune", "digits", "lr_multi")
    assert type(vars(task)) is dict
    more = dataclasses.replace(task, budget=dataclasses.replace(task.budget, extend=7))
    assert repr(vars(more)) != repr(vars(task))


def test_a_method_may_have_a_grid_of_its_own(plan, monkeypatch):
    axis = Axis(2, 0, 4, 1)
    own = dataclasses.replace(plan.methods["lr_multi"], grid={"standard": axis})
    monkeypatch.setitem(plan.methods, "lr_multi", own)
    with_own, without = (
        plan.task("tune", "digits", name).budget for name in ("lr_multi", "svm_multi")
    )
    assert axis != without.C
    assert with_own == dataclasses.replace(without, C=axis)


def test_a_data_set_may_scale_the_grid_of_C_of_linear_methods(plan, monkeypatch):
    def scaled():
        return {name for name in names if plan.task("tune", "emotions", name).C_scale}

    names = ("lr_ml", "svm_ova_liblinear", "lr_ml_rbf", "wsabie_pp_0")
    assert scaled() == set()
    entry = dataclasses.replace(plan.registry["emotions"], C_scale="mean_squared_norm")
    monkeypatch.setitem(plan.registry, "emotions", entry)
    assert scaled() == {"lr_ml", "svm_ova_liblinear"}


def test_the_sources_of_a_baseline_count_for_it(plan):
    ours, theirs = (plan.fingerprint("tune", name) for name in ("svm_ova", "svm_ova_liblinear"))
    assert ours == plan.fingerprint("tune")
    assert theirs.startswith(ours)
    assert theirs != ours


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        (
            "notes",
            "datasets: [emotions]",
            "datasets: emotions",
            r"notes\.yaml: .*emotions",
        ),
        (
            "notes",
            "tpami2017_table09",
            "tpami2017_table99",
            "unknown table 'tpami2017_table99'",
        ),
        ("notes", "expects: ", "expect: ", r"notes\.yaml: .*unknown key 'expect'"),
    ],
)
def test_reasons_and_claims_are_checked_before_any_job(
    config, tmp_path, file, before, after, message
):
    root = copy_checkout(tmp_path / "checkout")
    path = root / f"config/{file}.yaml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(PlanError, match=message):
        Plan(root, config)


def test_a_data_set_may_have_a_protocol_of_its_own(config, tmp_path):
    root = copy_checkout(tmp_path / "checkout")
    registry = root / "config/datasets.yaml"
    text = registry.read_text(encoding="utf-8")
    before, after = text.split("  digits:\n")
    changed = after.replace("protocol: multiclass", "protocol: mine", 1)
    registry.write_text(f"{before}  digits:\n{changed}", encoding="utf-8")
    with pytest.raises(
        PlanError, match=r"^data set 'digits': unknown protocol 'mine'; known: mult"
    ):
        Plan(root, config)
    protocols = yaml.safe_load((ROOT / "config/protocols.yaml").read_text(encoding="utf-8"))
    protocols["protocols"]["mine"] = protocols["protocols"]["multiclass"]
    (root / "config/protocols.yaml").write_text(yaml.safe_dump(protocols), encoding="utf-8")
    assert Plan(root, config).protocol_of("digits").name == "mine"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eps_train": float("nan")}, "eps_train: nan is not a finite number"),
        ({"eps_tune": float("inf")}, "eps_tune: inf is not a finite number"),
        ({"max_epochs_tune": 1e3}, "max_epochs_tune: 1000.0 is not a whole number"),
        ({"seed": 1.0}, "seed: 1.0 is not a whole number"),
        ({"seed": True}, "seed: True is not a whole number"),
        ({"seed": -1}, "seed: -1 is below 0"),
        ({"budget": "fast"}, "budget: 'fast' is not one of 'quick', 'standard' or 'paper'"),
        ({"colour": "red"}, "unknown key 'colour'; known: "),
        ({"eps_train": 0}, "eps_train: 0 is not above 0"),
        ({"eps_train": 0.5}, "eps_train: 0.5 is looser than eps_tune, 0.001"),
        ({"studies": ["circles"]}, "studies: unknown study 'circles'"),
        ({"studies": []}, "studies: [] has fewer entries than 1"),
        ({"max_epochs_tune": 0}, "max_epochs_tune: 0 is below 1"),
        ({"threshold": {"strategy": "guess"}}, "threshold.strategy: 'guess' is not one of"),
        ({"mirrors": "here"}, "mirrors: 'here' is not a list"),
        (
            {"threshold": {"strategy": "constant", "constant": float("nan")}},
            "threshold.constant: nan",
        ),
        ({"threshold": {"strategy": "constant", "constant": 10**400}}, "threshold.constant: 1000"),
    ],
)
def test_bad_config_is_one_line_that_names_key_and_value(config, change, message):
    with pytest.raises(PlanError, match=rf"^config: {re.escape(message)}[^\n]*$"):
        Plan(ROOT, config | change)


def test_an_error_names_the_layer_that_a_value_is_from(config):
    layers = [("config/config.yaml", config), ("mine.yaml", {"threshold": {"constant": 1.0}})]
    layers.append(("--config", {"budget": "fast"}))
    with pytest.raises(PlanError, match=r"^--config: budget: 'fast' is not one of"):
        Plan(ROOT, config | {"budget": "fast"}, layers)
    assert source_of("eps_train", layers) == "config/config.yaml"
    assert source_of("threshold.constant", layers) == "mine.yaml"
    assert source_of("threshold.strategy", layers) == "config/config.yaml"
    assert source_of("mirrors[3]", layers) == "config/config.yaml"
    assert source_of("nowhere", layers) == "config/config.yaml + mine.yaml + --config"
    layers.append(("--config", {"studies": ["circles"]}))
    with pytest.raises(PlanError, match=r"^--config: studies: unknown study 'circles'"):
        Plan(ROOT, config | {"studies": ["circles"]}, layers)


def _own(config):
    """Return a config with a data set, a method and a study of its own."""
    row = read_yaml(ROOT / "config/datasets.yaml")["datasets"]["circle"]
    return config | {
        "datasets": {"mine": row | {"title": "Mine"}},
        "methods": {"my_svm": {"label": "My SVM", "loss": "svm_multi", "gamma": 0.5}},
        "studies": {
            "first_look": {"title": "First", "datasets": ["mine"], "methods": ["my_svm"]},
            "circle": None,
        },
    }


def test_a_config_may_have_data_sets_methods_and_studies_of_its_own(config):
    plan, usual = Plan(ROOT, _own(config)), Plan(ROOT, config)
    assert {cell.dataset for cell in Targets(plan).cells("first_look")} == {"mine"}
    assert "circle" in plan.studies
    assert plan.methods["my_svm"].gamma == 0.5
    assert plan.registry_sum() != usual.registry_sum()
    assert plan.names_sum() != usual.names_sum()
    assert Plan(ROOT, config | {"datasets": {}, "methods": {}}).names_sum() == usual.names_sum()


@pytest.mark.parametrize(
    ("key", "row", "message"),
    [
        ("datasets.mine.format", "svm", "datasets.mine.format: 'svm' is not one of"),
        ("datasets.mine.protocol", "mine", "data set 'mine': unknown protocol 'mine'"),
        ("methods.my_svm.loss", "svm_mutli", "methods.my_svm.loss: unknown loss 'svm_mutli'"),
        ("studies.first_look.titel", "x", "studies.first_look: unknown key 'titel'"),
        ("studies.first_look.methods", ["svm"], "study 'first_look': unknown method 'svm'"),
        ("studies.first_look.datasets", ["min"], "study 'first_look': unknown data set 'min'"),
        ("studies.multilabel", {"title": "x"}, "studies.multilabel: .* has this name already"),
        ("datasets.letter", {}, "datasets.letter: .* has this name already"),
        ("methods.svm_multi", {}, "methods.svm_multi: .* has this name already"),
        ("datasets", ["mine"], "datasets: "),
    ],
)
def test_a_fault_of_an_own_row_names_the_file_and_the_key(config, key, row, message):
    own = copy.deepcopy(_own(config))
    *steps, last = key.split(".")
    place = own
    for step in steps:
        place = place[step]
    place[last] = row
    own_layer = {name: own[name] for name in ("datasets", "methods", "studies")}
    layers = [("config/config.yaml", config), ("own.yaml", own_layer)]
    where = "" if message.startswith(("study", "data set ")) else "own.yaml: "
    with pytest.raises(PlanError, match=rf"^{where}{message}[^\n]*$"):
        Plan(ROOT, own, layers)


@pytest.mark.parametrize(
    ("dataset", "method", "kind"),
    [
        ("yeast", "lr_multi", "single labels"),
        ("letter", "lr_ml", "label sets"),
        ("digits", "lr_multi_ft", "a network"),
    ],
)
def test_a_study_whose_method_does_not_fit_its_data_set_is_refused(
    config, tmp_path, dataset, method, kind
):
    root = tmp_path / "checkout"
    copy_checkout(root)
    study = {"title": "Mine", "description": "x", "datasets": [dataset], "methods": [method]}
    (root / "config/studies/mine.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    with pytest.raises(
        PlanError,
        match=rf"^study 'mine': '{method}' needs {kind}, which '{dataset}",
    ):
        Plan(root, config)


def test_targets_know_their_cells(plan):
    targets = Targets(plan)
    sets = {"circle", "letter", "emotions", "landsat", "optdigits", "letter_raw"}
    assert {cell.dataset for cell in targets.wanted()} == sets
    assert {cell.method for cell in targets.cells("table03")} >= {"svm_multi", "lr_multi"}
    assert targets.tables_of(targets.cells("circle")) == ["table03"]
    assert targets.tables_of(targets.cells("digits")) == ["digits"]
    assert {"circle", "letter", "multilabel", "table05", "tpami2017_table05"} <= set(
        targets.named()
    )
    with pytest.raises(PlanError, match=r"^usps: cannot be had: zip\.train"):
        targets.cells("usps")
    for name in ("competitors", "nips2015_table01"):
        with pytest.raises(PlanError, match=rf"^{name}: none of its data sets can be had"):
            targets.cells(name)
    plan.config["studies"] = ["digits", "competitors"]  # of which only the first can be had
    assert {cell.dataset for cell in Targets(plan).cells("all")} == {"digits"}


def test_the_default_run_is_of_what_the_repository_ships(plan):
    """The cells of circle, letter, emotions and three sets of NIPS 2012, without a mirror or the
    network.
    """
    cells = Targets(plan).wanted()
    files = {f"{cell.dataset}/{cell.method}/evaluation.csv" for cell in cells}
    kept = COMPARISON.read_text(ROOT / SUMMARY / "comparison.csv")
    counts = kept.loc[kept["file"].isin(files), "source"].value_counts()
    assert counts.to_dict() == {"cvpr2016": 370, "tpami2017": 18 + 68 + 42, "nips2012": 18}
    assert len(cells) == 74


def test_a_part_of_a_study_is_of_one_data_set(config, plan):
    def asked(*names):
        return Targets(Plan(ROOT, config | {"studies": [*names]})).asked()

    study = plan.cells_of_studies(["multiclass"])
    letter = {cell for cell in study if cell.dataset == "letter"}
    assert len(letter) == 35
    assert asked("multiclass/letter") == letter
    assert {cell.dataset for cell in asked("table07/yeast")} == {"yeast"}
    for name, wrong in (
        ("multiclass/lettre", "data set 'lettre'"),
        ("multi/letter", "study 'mu"),
        ("multiclass/circle", "data set of the study 'multiclass' 'circle'"),
    ):
        with pytest.raises(PlanError, match=rf"^config: studies: unknown {wrong}"):
            Plan(ROOT, config | {"studies": [name]})
    with pytest.raises(PlanError, match=r"studies\[0\]"):
        Plan(ROOT, config | {"studies": ["multiclass/letter/lr_multi"]})


def test_figures_of_the_multiclass_study(plan):
    targets = Targets(plan)
    assert {"topk_letter", "topk_circle", "mean_ranks"} <= set(targets.named())
    assert "topk_yeast" not in targets.named()
    cells = targets.cells_of_figure("topk_digits")
    assert {cell.dataset for cell in cells} == {"digits"}
    names = [cell.method for cell in cells]
    assert names == [name for name in plan.methods if name in names]
    assert targets.outputs("topk_digits")[0] == "results/figures/topk_digits.svg"
    found = targets.figures_of(targets.cells("digits"))
    assert {"gaps", "selection_digits", "topk_digits"} == set(found)
    three = plan.cells_of_studies(["multiclass_small"])
    assert "mean_ranks" in targets.figures_of(three)


def test_what_is_another_reading_has_no_rank_and_no_selection_of_its_own(config):
    plan = Plan(ROOT, config | {"studies": ["readings"]})
    targets, methods = Targets(plan), plan.methods
    shown = targets.cells_of_figure("selection_caltech101_silhouettes")
    assert shown
    assert not any(methods[cell.method].selected_by for cell in shown)
    assert "mean_ranks" not in targets.figures_of(targets.asked())


def test_ranks_and_claims_leave_out_other_draws_and_variants(plan):
    rows = [("letter", ""), ("circle_authors", ""), ("letter", "s_ls"), ("yeast_seeds", "")]
    frame = pd.DataFrame(rows, columns=["dataset", "variant_of"])
    assert [*plan.catalogue.without_repeats(frame).index] == [0]


def test_variants_have_no_table_of_thresholds_and_are_in_no_target_of_a_data_set(
    config, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    meta = tmp_path / "results/enron/data/meta.json"
    meta.parent.mkdir(parents=True)
    meta.touch()
    plan = Plan(ROOT, config | {"studies": ["as_printed"], "download": False})
    targets = Targets(plan)
    assert Cell("enron", "svm_ml_smooth_at_m6") in targets.wanted()
    assert shown(plan).strategies() == []
    assert not {*targets.wanted()} & plan.cells_of_dataset("enron")


def test_the_config_may_name_data_sets_and_tables(config, plan):
    def asked(*names):
        return Targets(Plan(ROOT, config | {"studies": [*names]})).asked()

    letter = plan.cells_of_dataset("letter")
    assert asked("letter") == letter
    assert letter <= asked("table05")
    study = plan.cells_of_studies(["digits"])
    assert asked("digits", "table03") == study | {*Targets(plan).cells("table03")}
    with pytest.raises(
        PlanError, match=r"^config: studies: unknown study 'table99'; did you mean "
    ):
        Plan(ROOT, config | {"studies": ["table99"]})
    nothing = Plan(ROOT, config | {"studies": ["usps"], "download": False})
    with pytest.raises(PlanError, match=r"^studies of the config: none .*usps"):
        Targets(nothing).wanted()


def test_the_reports_show_all_figures_without_data(plan):
    targets = Targets(plan)
    files = Shown(plan, targets).figures()
    assert targets.outputs("tpami2017_figure02")[0] == "results/figures/tpami2017_figure02.svg"
    assert "results/figures/tpami2017_figure02.svg" in files
    assert files.count("results/tables/table02.csv") == 1
    assert {"results/tables/figure03d.csv", "results/calibration/cases.csv"} <= set(files)
    assert (
        targets.outputs("table02") == targets.outputs("tpami2017_table02") == table_files("table02")
    )
    assert {"calibration", "table02", "losses_1d"} <= set(targets.named())


def test_every_figure_has_a_script_and_a_page(plan):
    names = {figure.name for figure in FIGURES}
    assert len(names) == len(FIGURES)
    scripts = {path.stem for path in ROOT.glob("workflow/scripts/draw_*.py")}
    assert scripts == {figure.script for figure in FIGURES}
    rules = (ROOT / "workflow/rules/figures.smk").read_text(encoding="utf-8")
    for figure in FIGURES:
        assert f"rule {figure.script}:" in rules
        assert figure.name in MATHEMATICS or f'figure("{figure.name}"' in rules
    for figure in FIGURES:
        assert figure.dataset or figure.page in {*RESERVED, *plan.studies}, figure.name
        assert row_of(figure.of("letter")) is figure
    assert row_of("selection_letter").dataset_of("selection_letter") == "letter"
    assert row_of("a_figure_of_mine") is None


def shown(plan, goals=tuple):
    """Return what the reports show after a command with some goals."""
    return Shown(plan, Targets(plan), goals)


def test_training_is_timed_on_letter(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = config | {"studies": ["circle"], "download": False}
    metas = [f"results/{name}/data/meta.json" for name in ("circle", "letter")]
    assert shown(Plan(ROOT, config)).prepared() == metas
    assert (
        shown(Plan(ROOT, config | {"budget": "quick"})).timed_meta()
        == "results/digits/data/meta.json"
    )


def test_a_method_is_left_out_where_its_k_has_too_few_classes(plan):
    cells = plan.cells_of_studies(["multiclass"])
    of = {name: {cell.method for cell in cells if cell.dataset == name} for name in ("fmd", "cub")}
    tens = {f"topk_{loss}_k10" for loss in ("svm_alpha", "svm_beta", "ent", "ent_tr")}
    tens |= {f"topk_svm_{variant}_k10_smooth" for variant in ("alpha", "beta")}
    assert of["cub"] - of["fmd"] == tens  # ten classes
    assert {"lr_multi", "topk_ent_tr_k5"} <= of["fmd"]


def test_results_that_the_config_does_not_ask_for_are_kept_apart(config, plan, tmp_path):
    files = shown(Plan(ROOT, config | {"studies": ["digits"]}))
    for folder in ("letter/lr_multi", "digits/lr_multi", "unknown/lr_multi"):
        path = tmp_path / "results" / folder / "evaluation.csv"
        path.parent.mkdir(parents=True)
        path.touch()
    (tmp_path / "results/letter/lr_ova/tune").mkdir(parents=True)
    assert files.other_files("evaluation.csv") == ["results/letter/lr_multi/evaluation.csv"]
    assert Cell("letter", "lr_ova") in plan.begun()
    assert "results/letter/lr_multi/evaluation.csv" not in files.made_files("evaluation.csv")
    assert "results/tables/table05.csv" in files.tables()
    assert "results/figures/selection_letter.svg" not in files.figures()
    reasons = files.reasons()
    assert "digits" not in reasons
    assert reasons["circle"] == "no study of the config asks for it"


@pytest.mark.parametrize(
    ("goals", "evaluated", "prepared"),
    [
        ([], False, False),
        (["report", "digits", "table03", "gaps", "table02"], False, False),
        (["letter", "report"], True, True),
        (["table05", "results/comparison.csv"], True, True),
        (["topk_letter", "report"], True, True),
        (["results/figures/topk_letter.svg"], True, True),
        (["results/letter/lr_multi/evaluation.csv"], "one", True),
        (["results/letter/none_such/evaluation.csv"], False, False),
        (["selection_letter", "report"], False, True),  # drawn from tuning: nothing is evaluated
        (["results/figures/selection_letter.csv"], False, True),
    ],
)
def test_what_a_command_makes_is_shown_as_it_leaves_it(plan, tmp_path, goals, evaluated, prepared):
    for folder in ("letter/lr_multi", "letter/lr_ova"):
        path = tmp_path / "results" / folder / "evaluation.csv"
        path.parent.mkdir(parents=True)
        path.touch()
    meta = tmp_path / "results/letter/data/meta.json"
    meta.parent.mkdir()
    meta.touch()
    plan = Plan(ROOT, {**plan.config, "studies": ["circle", "digits"], "budget": "quick"})
    files = shown(plan, lambda: goals)
    made = {cell for cell in files.made() if cell.dataset == "letter"}
    expected = {True: plan.cells_of_dataset("letter"), "one": {Cell("letter", "lr_multi")}}
    assert made == expected.get(evaluated, set())
    others = {Cell("letter", "lr_multi"), Cell("letter", "lr_ova")}
    assert {*files.others()} == others - made
    assert {*Targets(plan).wanted()} == plan.cells_of_studies(["circle", "digits"])
    meta = "results/letter/data/meta.json"
    assert (meta in files.prepared()) is (meta in files.compared()) is prepared
    assert (meta in files.other_metas()) is (meta in files.other_compared()) is not prepared
    assert "results/tables/table05.csv" in files.tables()


def test_a_registered_set_without_a_study_is_a_target_that_says_so(plan):
    twin = dataclasses.replace(plan.registry["digits"], name="mine")
    plan.registry = {**plan.registry, "mine": twin}
    targets = Targets(plan)
    assert "mine" in targets.named()
    with pytest.raises(PlanError, match=r"^mine: no study has methods for it; list it under"):
        targets.outputs("mine")
