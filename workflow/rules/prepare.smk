# One form for all data sets: dense or CSR features, labels, splits, statistics. meta.json comes last.


localrules:
    redraw_folds,


rule prepare:
    input:
        receipt="results/{dataset}/fetch.json",
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/prepare/{dataset}.log",
    benchmark:
        "results/benchmarks/prepare/{dataset}.tsv"
    wildcard_constraints:
        dataset=plan.sets_made_by("prepare"),
    priority: PREPARING
    resources:
        **preparing_needs(plan, "prepare"),
    params:
        raw_folder=RAW_FOLDER,
        entry=lambda wildcards: plan.entry_slice(wildcards.dataset),
        fingerprint=plan.fingerprint("prepare"),
    message:
        "Prepare {wildcards.dataset}"
    script:
        "../scripts/prepare_dataset.py"


# A set that is another one with a split for each draw of its folds; the two share their arrays.
rule redraw_folds:
    input:
        meta=planned(plan.origin_meta, "{dataset}"),
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/redraw/{dataset}.log",
    wildcard_constraints:
        dataset=plan.sets_made_by("redraw_folds"),
    priority: PREPARING
    params:
        entry=lambda wildcards: plan.entry_slice(wildcards.dataset),
        fingerprint=plan.fingerprint("redraw"),
    message:
        "Draw the folds of {wildcards.dataset}"
    script:
        "../scripts/redraw_folds.py"
