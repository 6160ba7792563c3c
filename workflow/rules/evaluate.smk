# Test metrics of one method on one data set, and the ranks of the true classes that top-k accuracies are means over.


rule evaluate:
    input:
        meta="results/{dataset}/data/meta.json",
        units=planned(plan.units, "{dataset}", "{method}"),
        models="results/{dataset}/{method}/models.npz",
        certificates="results/{dataset}/{method}/certificates.csv",
        thresholds=planned(plan.thresholds, "{dataset}", "{method}"),
    output:
        evaluation="results/{dataset}/{method}/evaluation.csv",
        ranks="results/{dataset}/{method}/ranks.npz",
    log:
        "results/logs/evaluate/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/evaluate/{dataset}/{method}.tsv"
    wildcard_constraints:
        method=plan.methods_trained_by("train"),
    priority: long_cells
    resources:
        **training_needs(plan, "evaluate"),
    params:
        task=lambda wildcards: vars(plan.task("evaluate", wildcards.dataset, wildcards.method)),
        budget=plan.budget,
        fingerprint=plan.fingerprint("evaluate"),
    message:
        "Evaluate {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/evaluate_test.py"
