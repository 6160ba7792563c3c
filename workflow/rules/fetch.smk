# Raw files: from data/raw, a mirror folder, or the official address, each checked against its sum.
# They are fetched where Snakemake runs: nodes of a cluster often have no network.


localrules:
    fetch,


rule fetch:
    output:
        receipt="results/{dataset}/fetch.json",
    log:
        "results/logs/fetch/{dataset}.log",
    priority: PREPARING
    params:
        raw_folder=RAW_FOLDER,
        entry=lambda wildcards: plan.entry_slice(wildcards.dataset),
        fingerprint=plan.fingerprint("fetch"),
    message:
        "Fetch the raw files of {wildcards.dataset}"
    script:
        "../scripts/fetch_raw.py"
