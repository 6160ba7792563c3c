# The threshold of each metric that compares sets of labels (TPAMI section 3.1).


rule threshold:
    input:
        meta="results/{dataset}/data/meta.json",
        selection="results/{dataset}/{method}/selection.csv",
        models="results/{dataset}/{method}/models.npz",
    output:
        thresholds="results/{dataset}/{method}/thresholds.csv",
        strategies="results/{dataset}/{method}/threshold_strategies.csv",
    log:
        "results/logs/threshold/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/threshold/{dataset}/{method}.tsv"
    priority: long_cells
    resources:
        **training_needs(plan, "threshold"),
    params:
        task=lambda wildcards: vars(plan.task("threshold", wildcards.dataset, wildcards.method)),
        threshold=plan.threshold,
        fingerprint=plan.fingerprint("threshold"),
    message:
        "Set the thresholds of {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/set_thresholds.py"
