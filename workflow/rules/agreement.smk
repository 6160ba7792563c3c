# Do our own one-vs-all and LIBLINEAR find the same minimiser? A table of the reports (docs/protocol.md).


rule agree:
    input:
        meta="results/{dataset}/data/meta.json",
    output:
        agreement="results/{dataset}/agreement.csv",
    log:
        "results/logs/agree/{dataset}.log",
    benchmark:
        "results/benchmarks/agree/{dataset}.tsv"
    priority: long_cells
    resources:
        **training_needs(plan, "agree"),
    params:
        settings={
            "Cs": [0.001, 0.01, 0.1, 1.0],
            "eps": 1e-4,
            "max_epochs": 3000,
            "seed": plan.config["seed"],
        },
        fingerprint=plan.fingerprint("agree"),
    message:
        "Compare our own one-vs-all with LIBLINEAR on {wildcards.dataset}"
    script:
        "../scripts/agree_liblinear.py"


localrules:
    table_agreement,


rule table_agreement:
    input:
        agreements=planned(shown.agreements),
    output:
        csv=report(
            "results/tables/agreement.csv",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "agreement"},
        ),
        json="results/tables/agreement.json",
    log:
        "results/logs/tables/agreement.log",
    params:
        labels={name: plan.methods[name].label for name in ("svm_ova", "lr_ova")},
        titles={name: plan.registry[name].title for name in plan.registry},
        fingerprint=plan.fingerprint("tables"),
    message:
        "Put our own one-vs-all beside LIBLINEAR"
    script:
        "../scripts/table_agreement.py"
