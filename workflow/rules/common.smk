# The plan of the run, which the rules ask for files and params, and what happens at its start and at its end.

import sys

try:
    from toplabel.reproduction import run
    from toplabel.reproduction.jobs import plain
    from toplabel.reproduction.facts import FIRST, longest_first, needs
    from toplabel.reproduction.tasks import Tasks, as_params
    from toplabel.reproduction.plan import add_sources, planned
    from toplabel.reproduction.targets import Targets
except ModuleNotFoundError as error:
    sys.exit(
        f"Error: {error}: install the project first, with `make setup` or `pip install '.[workflow]'`"
    )

plan = run.read_plan(ROOT, config, workflow)
targets = Targets(plan)
tasks = Tasks(plan, targets)
if plan.run.show:
    plan.outdated = run.outdated(plan, tasks)
long_cells = longest_first(plan.root, plan.budget)


wildcard_constraints:
    dataset="|".join(plan.registry),
    method="|".join(plan.methods),
    part="[A-Za-z0-9][A-Za-z0-9_-]*",


onstart:
    run.begin(workflow, plan)


onsuccess:
    run.end(workflow, plan)


# Job `check` does not run where a set cannot be prepared; it would print the others.
onerror:
    from toplabel.reproduction.data.checks import print_sets

    if any(job.rule.name == "check" for job in workflow.dag.jobs):
        print_sets(targets.own_or_all())
    run.fail()
