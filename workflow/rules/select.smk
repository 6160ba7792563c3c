# One (theta, C, delta) for each split and metric: the best mean over the folds.


rule select:
    input:
        units=lambda wildcards: plan.candidate_units(wildcards.dataset, wildcards.method),
    output:
        selection="results/{dataset}/{method}/selection.csv",
    log:
        "results/logs/select/{dataset}/{method}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        fingerprint=plan.fingerprint("select"),
    message:
        "Select hyper-parameters of {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/select_best.py"
