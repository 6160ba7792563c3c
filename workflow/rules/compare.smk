rule collect_datasets:
    input:
        metas=planned(targets.prepared),
    output:
        datasets="results/datasets.csv",
    log:
        "results/logs/collect_datasets.log",
    localrule: True
    params:
        task=as_params(tasks.collect_datasets),
    message:
        "Describe the data sets"
    script:
        "../scripts/collect_datasets.py"


rule compare:
    input:
        evaluations=planned(plan.cell_files, "evaluation.csv"),
        ranks=planned(plan.cell_files, "ranks.npz"),
        selections=planned(plan.cell_files, "selection.csv"),
        metas=lambda wildcards: [plan.prepared(name) for name in plan.datasets],
        datasets="results/datasets.csv",
        names=plan.names,
        notes=plan.notes,
        kept=plan.kept,
    output:
        cells="results/cells.csv",
        wide="results/cells_wide.csv",
        scores=report("results/comparison_scores.csv", category="Methods beside each other"),
        methods=report("results/comparison_methods.csv", category="Methods beside each other"),
        tests=report("results/comparison_tests.csv", category="Methods beside each other"),
        claims="results/claims.csv",
        totals="results/totals.json",
    log:
        "results/logs/compare.log",
    localrule: True
    params:
        task=as_params(tasks.compare),
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
        task=as_params(tasks.describe_run),
    message:
        "Describe the run"
    script:
        "../scripts/describe_run.py"
