# One (k, theta, C, threshold) for each split and metric, the best mean over the folds, and the chosen models on the full
# training part, each with a duality gap that proves it.


rule train:
    input:
        meta="results/{dataset}/data/meta.json",
        units=planned(plan.units, "{dataset}", "{method}"),
    output:
        selection="results/{dataset}/{method}/selection.csv",
        models="results/{dataset}/{method}/models.npz",
        certificates="results/{dataset}/{method}/certificates.csv",
    log:
        "results/logs/train/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/train/{dataset}/{method}.tsv"
    priority: long_cells
    resources:
        **training_needs(plan, "train"),
    params:
        task=lambda wildcards: vars(plan.task("train", wildcards.dataset, wildcards.method)),
        fingerprint=lambda wildcards: plan.fingerprint("train", wildcards.method),
    message:
        "Train {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/train_final.py"
