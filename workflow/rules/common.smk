# The plan of the run, and the few functions that rules and handlers share. Bad input ends in sys.exit,
# which prints its one line; a WorkflowError here is printed with the places that it passed.

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

try:
    from toplabel.config.documents import read_yaml
    from toplabel.figures import FIGURES, figure_files, table_files
    from toplabel.workflow.machine import note_start
    from toplabel.workflow.plan import RAW_FOLDER, Plan, PlanError
    from toplabel.workflow.runlock import RunLockError, lock_run
    from toplabel.workflow.targets import Targets, file_sums
except ModuleNotFoundError as error:
    sys.exit(
        f"Error: {error}: install the project first, with `make setup` or `pip install '.[workflow]'`"
    )

config_name = " + ".join(["config/config.yaml", *map(str, workflow.overwrite_configfiles)])

try:
    for name in [f"{workflow.basedir}/config/config.yaml", *workflow.overwrite_configfiles]:
        read_yaml(name)  # which refuses a key given twice; Snakemake takes the last
    plan = Plan(workflow.basedir, config, config_name)
except ValueError as error:
    sys.exit(f"Error: {error}")

targets = Targets(plan)


wildcard_constraints:
    dataset="|".join(plan.registry),
    method="|".join(plan.methods),
    table="|".join(targets.tables()),
    split="[A-Za-z0-9][A-Za-z0-9_-]*",
    block="[0-9]+",


def all_cores():
    """Every core of the run, for a job whose clock no other may disturb; one where a cluster has the cores."""
    try:
        return workflow.cores
    except WorkflowError:
        return 1


def requested():
    """Names of the targets on the command line."""
    settings = getattr(workflow, "dag_settings", None)
    return sorted(settings.targets) if settings and settings.targets else ["all"]


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


def of_run(function):
    """An input function about the targets of this run."""
    return planned(lambda: function(requested()))


def bench_tables(wildcards):
    """The benchmark, where this run makes it, for the reports to wait for."""
    return ["results/bench/targets.csv"] if "bench" in requested() else []


def bench_sums(wildcards):
    """What the reports show of the benchmark, in which they are to be kept in step."""
    return file_sums(sorted(map(str, Path("results/bench").glob("*.csv"))))


def partial_report(wildcards):
    """What the last report on a run that did not finish wrote last: newer than its pages, which the next whole one replaces.

    Where no whole report was before, Snakemake remembers no params of the pages and goes by times alone.
    """
    found = Path("results/partial/run.json")
    return [str(found)] if found.is_file() else []


def partial_sums(wildcards):
    """Of the same: times may be equal."""
    return file_sums(partial_report(wildcards))


def figure_outputs(figure):
    """The files that the script of a figure writes, by their names there."""
    svg, csv, json = figure_files(figure.name)
    labels = {"figure": figure.source or figure.title}
    if "{dataset}" in figure.name:
        labels["data set"] = "{dataset}"
    caption = "../report/figure.rst"
    found = {
        "svg": report(svg, caption=caption, category="Figures", labels=labels),
        "csv": csv,
        "json": json,
    }
    for table in figure.tables:
        csv, json = table_files(table)
        caption, labels = "../report/table.rst", {"table": table}
        found |= {
            "table": report(csv, caption=caption, category="Tables", labels=labels),
            "about": json,
        }
    return found


def of_figure(figure, function):
    """An input function about one figure of this run."""
    return lambda wildcards: planned(
        function, figure.of(wildcards.get("dataset", "")), requested()
    )(wildcards)


onstart:
    global run_lock
    try:
        run_lock = lock_run(".snakemake/toplabel.lock")
    except RunLockError as error:
        raise WorkflowError(str(error))
    note_start()


# Whatever there is gets a report, without a word of its own that would hide the error.
onerror:
    from toplabel.workflow.partial import is_about_cells, write_partial

    if is_about_cells(requested()):
        try:
            missing = write_partial(plan, requested())
            print(
                "The run did not finish; reports/index.html shows what there is, and why the rest is missing: "
                f"{len(missing)} results or files.",
                file=sys.stderr,
            )
        except Exception as error:
            print(f"No report on what there is: {error}", file=sys.stderr)
