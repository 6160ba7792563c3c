# A raw file without registered sum and address is the user's own: no rule makes it.

import re


# Nodes of a cluster often have no network, so files are fetched where Snakemake runs.
rule fetch:
    input:
        lambda wildcards: plan.raw.source(f"data/raw/{wildcards.raw}"),
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
        dataset=lambda wildcards: plan.raw.fetched[f"data/raw/{wildcards.raw}"],
        sha256=lambda wildcards: plan.raw.registered_sum(f"data/raw/{wildcards.raw}"),
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
        **needs(plan, "prepare", mb=4000),
    params:
        entry=lambda wildcards: plan.entry(wildcards.dataset),
        sums=planned(plan.raw.own_sums, "{dataset}"),
        sources=plan.sources("prepare_dataset.py"),
    message:
        "Prepare {wildcards.dataset}"
    script:
        "../scripts/prepare_dataset.py"
