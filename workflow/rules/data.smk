# A raw file without registered sum and address is the user's own: no rule makes it.

import re


# Nodes of a cluster often have no network, so files are fetched where Snakemake runs.
rule fetch:
    output:
        "data/raw/{raw}",
    log:
        "results/logs/fetch/{raw}.log",
    wildcard_constraints:
        raw="|".join(re.escape(path.removeprefix("data/raw/")) for path in plan.raw.fetched)
        or "(?!)",
    priority: FIRST
    localrule: True
    params:
        task=as_params(tasks.fetch),
        # A function of `output` is no reason to run again: a file is the same wherever it comes from.
        places=lambda wildcards, output: plain(plan.raw.places),
    message:
        "Fetch {output}"
    script:
        "../scripts/fetch_raw.py"


rule prepare:
    input:
        raw=planned(plan.raw.files, "{dataset}"),
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/prepare/{dataset}.log",
    benchmark:
        "results/benchmarks/prepare/{dataset}.tsv"
    wildcard_constraints:
        dataset=plan.made_by("prepare"),
    priority: FIRST
    resources:
        **needs("prepare"),
    params:
        task=as_params(tasks.prepare),
    message:
        "Prepare {wildcards.dataset}"
    script:
        "../scripts/prepare_dataset.py"
