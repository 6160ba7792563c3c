# One form for all data sets: dense or CSR features, labels, splits, statistics. meta.json comes last.


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
        mem_mb=preparing_mb,
        runtime=doubled(120),
    params:
        raw_folder=RAW_FOLDER,
        entry=lambda wildcards: plan.entry_slice(wildcards.dataset),
        fingerprint=plan.fingerprint("prepare"),
    message:
        "Prepare {wildcards.dataset}"
    script:
        "../scripts/prepare_dataset.py"
