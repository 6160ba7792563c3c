# Validation values over the grid of hyper-parameters, on all folds of a split: coarse grid, extension, refinement. Where
# a kernel is tuned by cross-validation and the budget has blocks of widths, other jobs have visited the coarse grid.


rule tune:
    input:
        meta="results/{dataset}/data/meta.json",
        blocks=planned(plan.blocks, "{dataset}", "{method}", "{part}"),
    output:
        unit="results/{dataset}/{method}/tune/{part}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{part}.log",
    benchmark:
        "results/benchmarks/tune/{dataset}/{method}/{part}.tsv"
    priority: long_cells
    resources:
        **training_needs(plan, "tune"),
    params:
        splits=planned(plan.splits_of, "{dataset}", "{part}"),
        task=lambda wildcards: vars(plan.task("tune", wildcards.dataset, wildcards.method)),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, split {wildcards.part}"
    script:
        "../scripts/tune_splits.py"


rule tune_block:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{part}.block{block}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{part}.block{block}.log",
    benchmark:
        "results/benchmarks/tune/{dataset}/{method}/{part}.block{block}.tsv"
    priority: long_cells
    resources:
        **training_needs(plan, "tune_block"),
    params:
        task=lambda wildcards: vars(plan.task("tune", wildcards.dataset, wildcards.method)),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, block {wildcards.block} of the coarse grid"
    script:
        "../scripts/tune_block.py"
