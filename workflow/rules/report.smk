# The reports, as a page and as a document; both show all that results/ holds.


localrules:
    write_html,
    write_pdf,


rule write_html:
    input:
        run="results/run.json",
        comparison="results/comparison.csv",
        evaluation="results/evaluation.csv",
        datasets="results/datasets.csv",
        findings="results/findings.csv",
        winners="results/winners.csv",
        tables=of_run(targets.all_table_files),
        figures=of_run(targets.all_figure_files),
        bench=bench_tables,
    output:
        html="reports/index.html",
    log:
        "results/logs/write_html.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        bench=bench_sums,
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/index.html"
    script:
        "../scripts/write_html.py"


rule write_pdf:
    input:
        run="results/run.json",
        comparison="results/comparison.csv",
        evaluation="results/evaluation.csv",
        datasets="results/datasets.csv",
        findings="results/findings.csv",
        winners="results/winners.csv",
        tables=of_run(targets.all_table_files),
        figures=of_run(targets.all_figure_files),
        bench=bench_tables,
    output:
        pdf="reports/toplabel.pdf",
    log:
        "results/logs/write_pdf.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        bench=bench_sums,
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/toplabel.pdf"
    script:
        "../scripts/write_pdf.py"
