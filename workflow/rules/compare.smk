# What was measured, beside what the papers print: the studies of the config, which are brought up to date, and the
# other cells that results/ holds, as they are. What other targets of the same command make counts with the former.


localrules:
    collect_datasets,
    compare,
    describe_run,
    judge_claims,


rule collect_datasets:
    input:
        metas=planned(shown.prepared),
        others=as_they_are(shown.other_metas),
    output:
        datasets=report(
            "results/datasets.csv",
            category="Data",
            labels={"what": "data sets"},
        ),
    log:
        "results/logs/collect_datasets.log",
    params:
        reasons=planned(shown.reasons),
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
        evaluations=planned(shown.made_files, "evaluation.csv"),
        ranks=planned(shown.made_files, "ranks.npz"),
        others=as_they_are(shown.other_files, "evaluation.csv"),
        other_ranks=as_they_are(shown.other_files, "ranks.npz"),
        # Which say what is not compared.
        metas=planned(shown.compared),
        other_metas=as_they_are(shown.other_compared),
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
    params:
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
        findings=judged("findings", "claims of the papers"),
        winners=judged("winners", "best methods"),
        differences=judged("differences", "why numbers differ"),
        variants=judged("variants", "variants of methods beside the printed numbers"),
        readings=judged("readings", "other readings of the protocols"),
        headline=judged("headline", "what the score is worth"),
    log:
        "results/logs/judge_claims.log",
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
        tables=planned(shown.tables),
        figures=planned(shown.figures),
    output:
        run="results/run.json",
    log:
        "results/logs/describe_run.log",
    params:
        config=config,
        names=plan.names_sum(),
        fingerprint=plan.fingerprint("run"),
    message:
        "Describe the run"
    script:
        "../scripts/describe_run.py"
