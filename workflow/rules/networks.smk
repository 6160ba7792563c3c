# Data sets that are features of small networks, and the fine-tuning of these (docs/pytorch.md). PyTorch is needed for
# these rules alone; where it is missing the plan has none of their data sets.


rule train_network:
    input:
        meta=planned(plan.origin, "{dataset}"),
    output:
        weights="results/{dataset}/network/{part}.npz",
    log:
        "results/logs/network/{dataset}/{part}.log",
    benchmark:
        "results/benchmarks/network/{dataset}/{part}.tsv"
    wildcard_constraints:
        dataset=plan.made_by("extract_features"),
    priority: FIRST
    resources:
        **needs("train_network"),
    params:
        task=as_params(tasks.train_network),
    message:
        "Train the network of {wildcards.dataset}, draw {wildcards.part}"
    script:
        "../scripts/train_network.py"


rule extract_features:
    input:
        meta=planned(plan.origin, "{dataset}"),
        weights=planned(plan.draws, "{dataset}"),
    output:
        meta="results/{dataset}/data/meta.json",
    log:
        "results/logs/extract/{dataset}.log",
    benchmark:
        "results/benchmarks/extract/{dataset}.tsv"
    wildcard_constraints:
        dataset=plan.made_by("extract_features"),
    priority: FIRST
    resources:
        **needs("extract_features"),
    params:
        task=as_params(tasks.extract_features),
    message:
        "Extract the features of {wildcards.dataset}"
    script:
        "../scripts/extract_features.py"


rule fine_tune:
    input:
        meta=planned(plan.origin, "{dataset}"),
        weights="results/{dataset}/network/{part}.npz",
    output:
        draw="results/{dataset}/{method}/draws/{part}.csv",
    log:
        "results/logs/fine_tune/{dataset}/{method}/{part}.log",
    benchmark:
        "results/benchmarks/fine_tune/{dataset}/{method}/{part}.tsv"
    wildcard_constraints:
        dataset=plan.made_by("extract_features"),
        method=plan.trained_by("fine_tune"),
    priority: long_cells
    resources:
        **needs("fine_tune"),
    params:
        task=as_params(tasks.fine_tune),
    message:
        "Fine-tune {wildcards.dataset} with {wildcards.method}, draw {wildcards.part}"
    script:
        "../scripts/fine_tune.py"


rule join_draws:
    input:
        meta="results/{dataset}/data/meta.json",
        draws=planned(plan.draws, "{dataset}", "{method}"),
    output:
        evaluation="results/{dataset}/{method}/evaluation.csv",
    log:
        "results/logs/join/{dataset}/{method}.log",
    wildcard_constraints:
        dataset=plan.made_by("extract_features"),
        method=plan.trained_by("fine_tune"),
    localrule: True
    message:
        "Join the draws of {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/join_draws.py"
