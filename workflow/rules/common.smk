# The plan of the run, which the rules ask for files and params, and what happens at its start and at its end.

import sys

try:
    from toplabel.reproduction.workflow.plan import RAW_FOLDER, planned
    from toplabel.reproduction.workflow.priorities import PREPARING, longest_first
    from toplabel.reproduction.workflow.resources import (
        fixed_needs,
        preparing_needs,
        training_needs,
    )
    from toplabel.reproduction.workflow.session import Session, read_plan
    from toplabel.reproduction.workflow.shown import Shown
    from toplabel.reproduction.workflow.targets import Targets
except ModuleNotFoundError as error:
    sys.exit(
        f"Error: {error}: install the project first, with `make setup` or `pip install '.[workflow]'`"
    )

plan = read_plan(ROOT, config, workflow)
# `config:` of a module may name a part of the keys, and scripts read them all.
config.update(plan.config)
long_cells = longest_first(plan)
targets = Targets(plan)
# What the command line asks for is not known yet while this file is read.
shown = Shown(plan, targets, lambda: workflow.dag_settings.targets)
session = Session(plan, targets)


wildcard_constraints:
    dataset="|".join(plan.registry),
    method="|".join(plan.methods),
    table="|".join(targets.tables()),
    part="[A-Za-z0-9][A-Za-z0-9_-]*",
    block="[0-9]+",


def as_they_are(*question):
    """Return an input function about files of earlier runs: what shows them follows them, and they are never made again."""
    return lambda wildcards: [before_update(path) for path in planned(*question)(wildcards)]


def figure(name, label, of_set=False):
    """Return the files of a figure; Snakemake's report shows the drawing under its label."""
    files = {ending: f"results/figures/{name}.{ending}" for ending in ("svg", "csv", "json")}
    labels = {"figure": label} | ({"data set": "{dataset}"} if of_set else {})
    svg = report(files["svg"], caption="../report/figure.rst", category="Figures", labels=labels)
    return files | {"svg": svg}


def table(name):
    """Return the files of a table that is made with a figure."""
    labels = {"table": name}
    path = f"results/tables/{name}.csv"
    shown = report(path, caption="../report/table.rst", category="Tables", labels=labels)
    return {"table": shown, "about": f"results/tables/{name}.json"}


def judged(name, label):
    """Return a file of the judgements; Snakemake's report shows it under its label."""
    about = {"caption": "../report/findings.rst", "category": "Comparison"}
    return report(f"results/{name}.csv", labels={"what": label}, **about)


onstart:
    session.begin(workflow)


onsuccess:
    session.succeed()


onerror:
    session.fail()
