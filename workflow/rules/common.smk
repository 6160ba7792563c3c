# The plan of the run, and the few functions that rules and handlers share. Bad input ends in sys.exit,
# which prints its one line; a WorkflowError here is printed with the places that it passed.

import sys
from glob import glob

from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

try:
    from toplabel.reproduction.config.documents import read_yaml
    from toplabel.reproduction.figures import MATHEMATICS, figure_files, row_of, table_files
    from toplabel.reproduction.workflow.environment import note_start
    from toplabel.reproduction.workflow.fingerprints import save_statements
    from toplabel.reproduction.workflow.folders import FolderError, check_folders
    from toplabel.reproduction.workflow.plan import RAW_FOLDER, Plan, PlanError
    from toplabel.reproduction.workflow.resources import (
        fixed_needs,
        preparing_needs,
        training_needs,
    )
    from toplabel.reproduction.workflow.runlock import RunLockError, check_run, lock_run
    from toplabel.reproduction.workflow.shown import Shown
    from toplabel.reproduction.workflow.slurm import SubmissionError, check_submission
    from toplabel.reproduction.workflow.targets import Targets
except ModuleNotFoundError as error:
    sys.exit(
        f"Error: {error}: install the project first, with `make setup` or `pip install '.[workflow]'`"
    )

try:
    if workflow.remote_exec:
        check_run()
    # Read again, since Snakemake takes the last of a key given twice.
    layers = [("config/config.yaml", read_yaml(f"{ROOT}/config/config.yaml"))]
    if (
        workflow.modifier.skip_configfile
    ):  # `config:` of a module stands in place of the file, and of the command line
        layers += [("`config:` of the module", config)]
        config = read_yaml(f"{ROOT}/config/config.yaml")
        update_config(config, layers[1][1])
    else:
        layers += [(str(name), read_yaml(name)) for name in workflow.overwrite_configfiles]
        layers += [("--config", workflow.config_settings.config)]
    plan = Plan(ROOT, config, layers)
    check_folders(sets=plan.registry)
except (ValueError, FolderError, RunLockError) as error:
    sys.exit(f"Error: {error}")

# Input functions ask for the targets of the command line, which are not known yet while this file is read.
targets = Targets(plan)
shown = Shown(plan, targets, lambda: workflow.dag_settings.targets)


wildcard_constraints:
    dataset="|".join(plan.registry),
    method="|".join(plan.methods),
    table="|".join(targets.tables()),
    part="[A-Za-z0-9][A-Za-z0-9_-]*",
    block="[0-9]+",


def all_cores():
    """Every core of the run, for a job whose clock no other may disturb; one where a cluster has the cores."""
    try:
        return workflow.cores
    except WorkflowError:
        return 1


def planned(function, *arguments):
    """Turn a question to the plan into an input function, whose errors are one line.

    Snakemake prints a traceback for whatever an input function raises; for SystemExit it does not.
    """

    def answer(wildcards):
        try:
            return function(*arguments)
        except PlanError as error:
            sys.exit(f"Error: {error}")

    return answer


def as_they_are(function):
    """An input function about files of earlier runs: what shows them follows them, and they are never made again."""
    return lambda wildcards: [before_update(path) for path in planned(function)(wildcards)]


def report_inputs(wildcards):
    """What the reports show.

    A report on a run that did not finish writes its run.json last, so that it is newer than the pages.
    """
    collected = "comparison evaluation datasets findings winners differences variants readings headline".split()
    return {
        "run": "results/run.json",
        **{name: f"results/{name}.csv" for name in collected},
        "tables": planned(shown.tables)(wildcards),
        "figures": planned(shown.figures)(wildcards),
        "partial": glob("results/partial/run.json"),
    }


def figure_outputs(name):
    """The files that the script of a figure writes, by their names there."""
    svg, csv, json = figure_files(name)
    row = row_of(name)
    labels = {"figure": row.source or row.title} if row else {"figure": "{drawing}"}
    if "{dataset}" in name:
        labels["data set"] = "{dataset}"
    caption = "../report/figure.rst"
    found = {
        "svg": report(svg, caption=caption, category="Figures", labels=labels),
        "csv": csv,
        "json": json,
    }
    for table in row.tables if row else ():
        csv, json = table_files(table)
        caption, labels = "../report/table.rst", {"table": table}
        found |= {
            "table": report(csv, caption=caption, category="Tables", labels=labels),
            "about": json,
        }
    return found


def of_figure(name, file):
    """An input function: a file of each cell that a figure shows, or `tune` for what tuning left."""
    return lambda wildcards: planned(targets.figure_inputs, name.format(**wildcards), file)(
        wildcards
    )


def about_figure(name):
    """An input function: what the script of a figure needs to know of its cells."""
    return lambda wildcards: planned(targets.figure_shows, name.format(**wildcards))(wildcards)


def network_sets():
    return "|".join(plan.networks()) or "(?!)"


def fine_tuning():
    return "|".join(name for name, method in plan.methods.items() if method.fine_tunes) or "(?!)"


def origin_meta(wildcards):
    return f"results/{plan.origin_of(wildcards.dataset)}/data/meta.json"


onstart:
    global run_lock, reported
    try:
        run_lock = lock_run()
        check_submission(workflow)
    except (RunLockError, SubmissionError) as error:
        sys.exit(f"Error: {error}")
    note_start()
    save_statements()
    from toplabel.reproduction.workflow.progress import follow
    from toplabel.reproduction.workflow.scheduling import lift_default_limit

    reported = follow(workflow, plan, targets)
    lift_default_limit(workflow)


onsuccess:
    from toplabel.reproduction.workflow.announcements import closing

    print("", *closing(plan, reported), sep="\n", file=sys.stderr)


# Report on what there is, and print nothing that would hide the error.
onerror:
    from toplabel.reproduction.workflow.partial import has_failures, write_partial

    try:
        if has_failures(plan):
            missing = write_partial(plan)
            print(
                "The run did not finish; reports/index.html shows what there is, and why the rest is missing: "
                f"{len(missing)} results or files. The same command goes on where it ended.",
                file=sys.stderr,
            )
    except Exception as error:
        print(f"No report on what there is: {error}", file=sys.stderr)
