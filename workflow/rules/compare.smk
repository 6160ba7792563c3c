# What the run measured, beside what the papers print. Cells of earlier runs that this one does not ask
# for are no inputs, so nothing is made again for them; their sums among the params keep them in step.


localrules:
    collect_datasets,
    compare,
    describe_run,
    judge_claims,


rule collect_datasets:
    input:
        metas=of_run(targets.prepared),
    output:
        datasets=report(
            "results/datasets.csv",
            category="Data",
            labels={"what": "data sets"},
        ),
    log:
        "results/logs/collect_datasets.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        others=lambda wildcards: file_sums(targets.other_metas(requested())),
        reasons=lambda wildcards: targets.reasons(requested()),
        registry=plan.registry_sum(),
        raw_folder=RAW_FOLDER,
        mirrors=plan.mirrors,
        fingerprint=plan.fingerprint("datasets"),
    message:
        "Describe the data sets"
    script:
        "../scripts/collect_datasets.py"


rule compare:
    input:
        evaluations=of_run(targets.evaluations),
    output:
        evaluation="results/evaluation.csv",
        comparison=report(
            "results/comparison.csv",
            caption="../report/comparison.rst",
            category="Comparison",
            labels={"what": "measured beside published"},
        ),
    log:
        "results/logs/compare.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        others=lambda wildcards: file_sums(targets.other_evaluations(requested())),
        names=plan.names_sum(),
        fingerprint=plan.fingerprint("compare"),
    message:
        "Compare with the published numbers"
    script:
        "../scripts/compare_published.py"


rule judge_claims:
    input:
        evaluation="results/evaluation.csv",
        comparison="results/comparison.csv",
    output:
        findings=report(
            "results/findings.csv",
            caption="../report/findings.rst",
            category="Comparison",
            labels={"what": "claims of the papers"},
        ),
        winners=report(
            "results/winners.csv",
            caption="../report/findings.rst",
            category="Comparison",
            labels={"what": "best methods"},
        ),
    log:
        "results/logs/judge_claims.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        claims=plan.claims_sum(),
        fingerprint=plan.fingerprint("findings"),
    message:
        "Ask the papers' claims of the numbers"
    script:
        "../scripts/judge_claims.py"


rule describe_run:
    input:
        comparison="results/comparison.csv",
        datasets="results/datasets.csv",
        tables=of_run(targets.all_table_files),
        figures=of_run(targets.all_figure_files),
    output:
        run="results/run.json",
    log:
        "results/logs/describe_run.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        config=config,
        names=plan.names_sum(),
        fingerprint=plan.fingerprint("run"),
    message:
        "Describe the run"
    script:
        "../scripts/describe_run.py"
