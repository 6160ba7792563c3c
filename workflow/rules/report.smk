# The reports, as pages, as a document and for machines; all show all that results/ holds.


localrules:
    partial,
    write_crate,
    write_data,
    write_html,
    write_pdf,


rule write_data:
    input:
        unpack(report_inputs),
    output:
        comparison="reports/data/comparison.csv",
        json="reports/data/report.json",
    log:
        "results/logs/write_data.log",
    params:
        kept=plan.kept_sum(),
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/data"
    script:
        "../scripts/write_data.py"


rule write_html:
    input:
        unpack(report_inputs),
        data="reports/data/report.json",
    output:
        html="reports/index.html",
    log:
        "results/logs/write_html.log",
    params:
        kept=plan.kept_sum(),
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/index.html"
    script:
        "../scripts/write_html.py"


rule write_pdf:
    input:
        unpack(report_inputs),
    output:
        pdf="reports/toplabel.pdf",
    log:
        "results/logs/write_pdf.log",
    params:
        kept=plan.kept_sum(),
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/toplabel.pdf"
    script:
        "../scripts/write_pdf.py"


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
        fingerprint=plan.fingerprint("report"),
    message:
        "Write reports/ro-crate-metadata.json"
    script:
        "../scripts/write_crate.py"


# The report on an unfinished run: no inputs, runs whenever it is asked for.
rule partial:
    log:
        "results/logs/partial_report.log",
    params:
        config=config,
    message:
        "Write the reports on what there is"
    script:
        "../scripts/partial_report.py"
