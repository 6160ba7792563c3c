rule collect_datasets:
    input:
        metas=planned(targets.prepared),
        registry=plan.of_checkout("config/datasets.yaml"),
    output:
        datasets="results/datasets.csv",
    log:
        "results/logs/collect_datasets.log",
    localrule: True
    params:
        reasons=planned(targets.reasons),
        own=plan.run.datasets,
        sources=plan.sources("collect_datasets.py"),
    message:
        "Describe the data sets"
    script:
        "../scripts/collect_datasets.py"


rule compare:
    input:
        evaluations=planned(plan.cell_files, "evaluation.csv"),
        ranks=planned(plan.cell_files, "ranks.npz"),
        metas=lambda wildcards: [plan.prepared(name) for name in plan.datasets],
        names=plan.names,
        notes=plan.notes,
        kept=plan.kept,
    output:
        cells="results/cells.csv",
        claims="results/claims.csv",
    log:
        "results/logs/compare.log",
    localrule: True
    params:
        own=plan.own_rows,
        sources=plan.sources("compare.py"),
    message:
        "Compare with the published numbers"
    script:
        "../scripts/compare.py"


rule describe_run:
    input:
        cells="results/cells.csv",
        datasets="results/datasets.csv",
        tables=planned(targets.table_files),
        figures=planned(targets.figure_files),
    output:
        run="results/run.json",
    log:
        "results/logs/describe_run.log",
    localrule: True
    params:
        config=config,
        sources=plan.sources("describe_run.py"),
    message:
        "Describe the run"
    script:
        "../scripts/describe_run.py"
