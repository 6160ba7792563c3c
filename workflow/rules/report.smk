rule report:
    input:
        run="results/run.json",
        cells="results/cells.csv",
        wide="results/cells_wide.csv",
        scores="results/comparison_scores.csv",
        methods="results/comparison_methods.csv",
        tests="results/comparison_tests.csv",
        claims="results/claims.csv",
        totals="results/totals.json",
        datasets="results/datasets.csv",
        metas=planned(targets.prepared),
        evaluations=planned(plan.cell_files, "evaluation.csv"),
        tables=planned(targets.table_files),
        figures=planned(targets.figure_files),
        predictions=planned(plan.predictions),
        models=planned(plan.predictions, "model.npz"),
        classes=planned(plan.predictions, "classes.csv"),
        confusions=planned(plan.predictions, "confusion.csv"),
        notes=plan.notes,
        kept=plan.kept,
        workflow=plan.workflow,
        own_code=plan.own_code,
    output:
        html=report(f"{plan.report}/index.html", category="Report"),
        pdf=report(f"{plan.report}/toplabel.pdf", category="Report"),
        json=f"{plan.report}/data/report.json",
        crate=f"{plan.report}/ro-crate-metadata.json",
    log:
        "results/logs/report.log",
    localrule: True
    params:
        task=as_params(tasks.report),
    message:
        "Write the report"
    script:
        "../scripts/write_report.py"


# All files of results/ beside their sums: no inputs, runs whenever it is asked for.
rule verify_files:
    log:
        "results/logs/verify_files.log",
    localrule: True
    message:
        "Compare the files in results/ with their sums"
    script:
        "../scripts/verify_files.py"
