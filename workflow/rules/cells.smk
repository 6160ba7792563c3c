# A method on a data set: tuned on the folds of each split, trained on the full training part, evaluated on the test part.
rule tune:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        unit="results/{dataset}/{method}/tune/{part}.npz",
    log:
        "results/logs/tune/{dataset}/{method}/{part}.log",
    benchmark:
        "results/benchmarks/tune/{dataset}/{method}/{part}.tsv"
    priority: long_cells
    resources:
        **needs("tune"),
    params:
        task=as_params(tasks.tune),
    message:
        "Tune {wildcards.method} on {wildcards.dataset}, split {wildcards.part}"
    script:
        "../scripts/tune.py"


rule train:
    input:
        meta="results/{dataset}/data/meta.json",
        units=planned(plan.units, "{dataset}", "{method}"),
    output:
        selection="results/{dataset}/{method}/selection.csv",
        models="results/{dataset}/{method}/models.npz",
    log:
        "results/logs/train/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/train/{dataset}/{method}.tsv"
    priority: long_cells
    resources:
        **needs("train"),
    params:
        task=as_params(tasks.train),
    message:
        "Train {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/train.py"


rule evaluate:
    input:
        meta="results/{dataset}/data/meta.json",
        units=planned(plan.units, "{dataset}", "{method}"),
        selection="results/{dataset}/{method}/selection.csv",
        models="results/{dataset}/{method}/models.npz",
    output:
        evaluation="results/{dataset}/{method}/evaluation.csv",
        ranks="results/{dataset}/{method}/ranks.npz",
    log:
        "results/logs/evaluate/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/evaluate/{dataset}/{method}.tsv"
    wildcard_constraints:
        method=plan.trained_by("train"),
    priority: long_cells
    resources:
        **needs("evaluate"),
    params:
        task=as_params(tasks.evaluate),
    message:
        "Evaluate {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/evaluate.py"


# The predictions for the test rows, and a model that `toplabel.load_model` reads, of own data sets alone.
rule predict:
    input:
        meta="results/{dataset}/data/meta.json",
        selection="results/{dataset}/{method}/selection.csv",
        models="results/{dataset}/{method}/models.npz",
    output:
        predictions="results/{dataset}/{method}/predictions.csv",
        classes="results/{dataset}/{method}/classes.csv",
        confusion="results/{dataset}/{method}/confusion.csv",
        model="results/{dataset}/{method}/model.npz",
    log:
        "results/logs/predict/{dataset}/{method}.log",
    resources:
        **needs("predict"),
    params:
        task=as_params(tasks.predict),
    message:
        "Predict with {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/predict.py"


# Test values by shares of the training rows, of studies with `sizes`; those of all rows are in evaluation.csv.
rule learning_curve:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        curve="results/{dataset}/{method}/curve.csv",
    log:
        "results/logs/learning_curve/{dataset}/{method}.log",
    resources:
        **needs("learning_curve"),
    params:
        task=as_params(tasks.learning_curve),
    message:
        "Measure {wildcards.method} on {wildcards.dataset} by shares of the training rows"
    script:
        "../scripts/learning_curve.py"


# A model on all rows, of studies with `final_model`.
rule final_model:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        model="results/{dataset}/{method}/final_model.npz",
    log:
        "results/logs/final_model/{dataset}/{method}.log",
    resources:
        **needs("final_model"),
    params:
        task=as_params(tasks.final_model),
    message:
        "Train {wildcards.method} on all rows of {wildcards.dataset}"
    script:
        "../scripts/final_model.py"
