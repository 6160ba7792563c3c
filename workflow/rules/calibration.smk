# The study of top-k calibration (TPAMI section 4, docs/losses.md): no data, no training.


rule study_calibration:
    output:
        minima="results/calibration/minima.csv",
        cases=report(
            "results/calibration/cases.csv",
            category="Calibration",
            labels={"what": "every case"},
        ),
        map="results/calibration/map.csv",
        table=report(
            "results/tables/calibration.csv",
            caption="../report/table.rst",
            category="Calibration",
            labels={"what": "the propositions"},
        ),
        json="results/tables/calibration.json",
    log:
        "results/logs/calibration.log",
    benchmark:
        "results/benchmarks/calibration.tsv"
    resources:
        **fixed_needs(plan, "study_calibration", mem_mb=1500, minutes=60),
    params:
        seed=plan.config["seed"],
        each=1 if plan.budget == "quick" else 2,
        divisions=4 if plan.budget == "quick" else 10,
        fingerprint=plan.fingerprint("calibration"),
    message:
        "Study the calibration of the losses"
    script:
        "../scripts/study_calibration.py"
