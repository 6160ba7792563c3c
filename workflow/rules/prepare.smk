# One form for all data sets: dense or CSR features, labels, splits, statistics. meta.json comes last.


localrules:
    redraw_folds,


ruleorder: redraw_folds > prepare


rule prepare:
    input:
        receipt="results/{dataset}/fetch.json",
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/prepare/{dataset}.log",
    benchmark:
        "results/benchmarks/prepare/{dataset}.tsv"
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
        meta=origin_meta,
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/redraw/{dataset}.log",
    wildcard_constraints:
        dataset="|".join(plan.registry.seeds_of) or "(?!)",
    params:
        entry=lambda wildcards: plan.entry_slice(wildcards.dataset),
        fingerprint=plan.fingerprint("redraw"),
    message:
        "Draw the folds of {wildcards.dataset}"
    script:
        "../scripts/redraw_folds.py"
