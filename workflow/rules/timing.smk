# Times for the figures of TPAMI Fig. 3 and Table 2: some seconds each. Wall time is measured with all cores taken, so
# that no other job disturbs the clock; the projections' is CPU time. The figures can be drawn again without measuring
# again.


rule time_projections:
    output:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
    log:
        "results/logs/timing/projections.log",
    resources:
        **fixed_needs(plan, "time_projections", mem_mb=2000, minutes=60),
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the projections"
    script:
        "../scripts/time_projections.py"


rule time_convergence:
    input:
        meta=planned(shown.timed_meta),
    output:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    log:
        "results/logs/timing/convergence.log",
    threads: workflow.resource_settings.cores or 1  # none is known on a cluster
    resources:
        **fixed_needs(plan, "time_convergence", mem_mb=2000, minutes=60),
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the convergence"
    script:
        "../scripts/time_convergence.py"


rule time_softmax:
    input:
        meta=planned(shown.timed_meta),
    output:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
    log:
        "results/logs/timing/softmax.log",
    threads: workflow.resource_settings.cores or 1  # none is known on a cluster
    resources:
        **fixed_needs(plan, "time_softmax", mem_mb=2000, minutes=60),
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the softmax"
    script:
        "../scripts/time_softmax.py"
