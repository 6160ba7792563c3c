# The reports, as pages, as a document and for machines.

# What they show.
SHOWN = {
    "run": "results/run.json",
    "comparison": "results/comparison.csv",
    "evaluation": "results/evaluation.csv",
    "datasets": "results/datasets.csv",
    "findings": "results/findings.csv",
    "winners": "results/winners.csv",
    "differences": "results/differences.csv",
    "variants": "results/variants.csv",
    "readings": "results/readings.csv",
    "headline": "results/headline.csv",
    "tables": planned(targets.table_files),
    "figures": planned(targets.figure_files),
    "kept": plan.kept,
}


localrules:
    show,
    verify_files,
    write_crate,
    write_data,
    write_html,
    write_pdf,


rule write_data:
    input:
        **SHOWN,
    output:
        comparison="reports/data/comparison.csv",
        json="reports/data/report.json",
    log:
        "results/logs/write_data.log",
    params:
        sources=plan.sources("write_report.py"),
    message:
        "Write reports/data"
    script:
        "../scripts/write_report.py"


use rule write_data as write_html with:
    input:
        **SHOWN,
        data="reports/data/report.json",
    output:
        html="reports/index.html",
    log:
        "results/logs/write_html.log",
    message:
        "Write reports/index.html"


use rule write_data as write_pdf with:
    output:
        pdf="reports/toplabel.pdf",
    log:
        "results/logs/write_pdf.log",
    message:
        "Write reports/toplabel.pdf"


rule write_crate:
    input:
        comparison="results/comparison.csv",
        html="reports/index.html",
        pdf="reports/toplabel.pdf",
        data="reports/data/report.json",
    output:
        crate="reports/ro-crate-metadata.json",
    log:
        "results/logs/write_crate.log",
    params:
        sources=plan.sources("write_crate.py"),
    message:
        "Write reports/ro-crate-metadata.json"
    script:
        "../scripts/write_crate.py"


# The reports on what there is: computes nothing, has no inputs, and runs whenever it is asked for.
rule show:
    log:
        "results/logs/show.log",
    params:
        config=config,
    message:
        "Write the reports on what there is"
    script:
        "../scripts/show.py"


# All files of results/ beside their sums: no inputs, runs whenever it is asked for.
rule verify_files:
    log:
        "results/logs/verify_files.log",
    message:
        "Compare the files in results/ with their sums"
    script:
        "../scripts/verify_files.py"
