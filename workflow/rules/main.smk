# All of the workflow, from the checkout at ROOT.

import re
import sys

# Snakemake takes braces in a path for wildcards, and gives the interpreter to a shell as it stands.
if re.search("[{}]", str(ROOT)):
    sys.exit(f"Error: the path of the checkout has braces, move it to another folder: {ROOT}")
if re.search(r"[^\w@%+=:,./~-]", sys.executable):
    sys.exit(
        "Error: the path of the Python that runs Snakemake has a blank or a sign of the shell, install it in another "
        f"folder, as by `make setup VENV=/a/folder`: {sys.executable}"
    )


configfile: f"{ROOT}/config/config.yaml"


# Used with `--sdm apptainer` alone: the image of packaging/Dockerfile (docs/cluster.md). Snakemake takes no image in a
# folder with a blank.
if not re.search(r"\s", str(ROOT)):

    container: f"{ROOT}/build/toplabel.sif"


include: "common.smk"
include: "compare.smk"
include: "report.smk"


# Without these rules the results that are there are the only ones to show.
if not plan.run.show:

    include: "data.smk"
    include: "networks.smk"
    include: "cells.smk"
    include: "figures.smk"
    include: "targets.smk"


own_rules = [rule for rule in workflow.rules if Path(rule.snakefile).is_relative_to(ROOT)]
add_sources(plan, own_rules)
if not plan.run.show:
    run.check_records(workflow, own_rules)


rule all:
    default_target: True
    input:
        planned(plan.cell_files, "evaluation.csv"),
        planned(plan.cell_files, "ranks.npz"),
        planned(plan.predictions),
        planned(plan.final_models),
        rules.compare.output,
        planned(targets.table_files),
        planned(targets.figure_files),
        rules.report.output,
