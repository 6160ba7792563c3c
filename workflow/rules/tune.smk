# Validation values over the grid of hyper-parameters. One job runs a whole warm-started path over C: on all folds of
# a set that has one split, or whose splits take milliseconds (it makes the choice as well); on those of a split; or,
# of a split, for a block of kernel widths, where a fine grid may follow the coarse one.


rule tune_set:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/all.npz",
        selection="results/{dataset}/{method}/selection.csv",
    log:
        "results/logs/tune/{dataset}/{method}/all.log",
    wildcard_constraints:
        dataset="|".join(plan.sets_at_once),
        method="|".join(plan.methods_at_once),
    conda:
        "../envs/toplabel.yaml"
    params:
        splits=lambda wildcards: plan.split_names(wildcards.dataset),
        fit=lambda wildcards: plan.fit("tune", wildcards.dataset, wildcards.method),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/tune_splits.py"


ruleorder: tune_set > tune_split
ruleorder: tune_set > select


rule tune_split:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{split}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        splits=lambda wildcards: [wildcards.split],
        fit=lambda wildcards: plan.fit("tune", wildcards.dataset, wildcards.method),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, split {wildcards.split}"
    script:
        "../scripts/tune_splits.py"


rule tune_coarse:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{split}.coarse.block{block}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.coarse.block{block}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        fit=lambda wildcards: plan.fit("tune", wildcards.dataset, wildcards.method),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, block {wildcards.block} of the coarse grid"
    script:
        "../scripts/tune_block.py"


rule refine_grid:
    input:
        units=lambda wildcards: plan.coarse_units(
            wildcards.dataset, wildcards.method, wildcards.split
        ),
    output:
        grid="results/{dataset}/{method}/tune/{split}.fine.json",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.refine.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        fit=lambda wildcards: plan.fit("tune", wildcards.dataset, wildcards.method),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Refine the grid of {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/refine_grid.py"


rule tune_fine:
    input:
        meta="results/{dataset}/data/meta.json",
        grid="results/{dataset}/{method}/tune/{split}.fine.json",
    output:
        unit="results/{dataset}/{method}/tune/{split}.fine.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.fine.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        fit=lambda wildcards: plan.fit("tune", wildcards.dataset, wildcards.method),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, fine grid"
    script:
        "../scripts/tune_block.py"
