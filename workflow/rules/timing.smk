# Times for the figures of TPAMI Fig. 3 and Table 2: some seconds each. Wall time is measured with all cores taken, so
# that no other job disturbs the clock. The figures can be drawn again without measuring again.

for figure in FIGURES:
    if not figure.measures:
        continue

    rule:
        name:
            f"time_{figure.measures}"
        input:
            **({"meta": planned(targets.timed_meta)} if figure.timed else {}),
        output:
            **figure.inputs,
        log:
            f"results/logs/timing/{figure.measures}.log",
        threads: all_cores() if figure.timed else 1
        resources:
            mem_mb=doubled(2000),
            runtime=doubled(60),
        params:
            quick=plan.budget == "quick",
            script=f"workflow/scripts/time_{figure.measures}.py",
            fingerprint=plan.fingerprint("timing"),
        message:
            f"Time the {figure.measures}"
        script:
            "../../{params.script}"
