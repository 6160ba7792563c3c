# Tables to print: a published one with our numbers beside it, or a study's own.


localrules:
    make_table,
    table_thresholds,


rule table_thresholds:
    input:
        strategies=planned(shown.strategies),
    output:
        csv=report(
            "results/tables/thresholds.csv",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "thresholds"},
        ),
        json="results/tables/thresholds.json",
    log:
        "results/logs/tables/thresholds.log",
    params:
        labels=planned(shown.strategy_labels),
        fingerprint=plan.fingerprint("tables"),
    message:
        "Compare the strategies for the threshold"
    script:
        "../scripts/table_thresholds.py"


rule make_table:
    input:
        comparison="results/comparison.csv",
        evaluation="results/evaluation.csv",
    output:
        csv=report(
            "results/tables/{table}.csv",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
        json="results/tables/{table}.json",
    log:
        "results/logs/tables/{table}.log",
    params:
        names=plan.names_sum(),
        fingerprint=plan.fingerprint("tables"),
    message:
        "Make {wildcards.table}"
    script:
        "../scripts/make_table.py"
