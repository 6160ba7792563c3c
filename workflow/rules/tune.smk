# Validation values over the grid of hyper-parameters. One job runs a whole warm-started path over C:
# for all folds of a split (multiclass), or for one fold and a block of kernel widths (multilabel), where
# a fine grid may follow the coarse one.


rule tune_split:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{split}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        method=lambda wildcards: plan.method_slice(wildcards.method),
        protocol=lambda wildcards: plan.protocol_slice(wildcards.dataset, wildcards.method),
        budget=plan.budget,
        settings=plan.settings("tune"),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, split {wildcards.split}"
    script:
        "../scripts/tune_split.py"


rule tune_coarse:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{split}.coarse.fold{fold}.block{block}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.coarse.fold{fold}.block{block}.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        method=lambda wildcards: plan.method_slice(wildcards.method),
        protocol=lambda wildcards: plan.protocol_slice(wildcards.dataset, wildcards.method),
        budget=plan.budget,
        settings=plan.settings("tune"),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, fold {wildcards.fold}, block {wildcards.block}"
    script:
        "../scripts/tune_fold.py"


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
    threads: 1
    params:
        protocol=lambda wildcards: plan.protocol_slice(wildcards.dataset, wildcards.method),
        budget=plan.budget,
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
        unit="results/{dataset}/{method}/tune/{split}.fine.fold{fold}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{split}.fine.fold{fold}.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        method=lambda wildcards: plan.method_slice(wildcards.method),
        protocol=lambda wildcards: plan.protocol_slice(wildcards.dataset, wildcards.method),
        budget=plan.budget,
        settings=plan.settings("tune"),
        fingerprint=lambda wildcards: plan.fingerprint("tune", wildcards.method),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, fold {wildcards.fold}, fine grid"
    script:
        "../scripts/tune_fold.py"
