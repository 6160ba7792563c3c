# The experiments, from raw data to the printed page. `snakemake --cores 2` makes the reports of the
# default run; docs/workflow.md lists the other targets.

from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/threshold.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/agreement.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/calibration.smk"
include: "workflow/rules/timing.smk"
include: "workflow/rules/bench.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/targets.smk"


rule all:
    default_target: True
    input:
        "reports/index.html",
        "reports/toplabel.pdf",
        "reports/ro-crate-metadata.json",
