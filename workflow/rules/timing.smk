# Figures of times (TPAMI Fig. 3, Table 2): some seconds each. The rules that measure take all cores, so that no other
# job disturbs their clocks; toplabel.figures says who draws them, which can be repeated without measuring again.


rule time_projections:
    output:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
    log:
        "results/logs/timing/projections.log",
    conda:
        "../envs/toplabel.yaml"
    threads: all_cores()
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the projections"
    script:
        "../scripts/time_projections.py"


rule time_convergence:
    input:
        meta=planned(targets.timed_meta),
    output:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    log:
        "results/logs/timing/convergence.log",
    conda:
        "../envs/toplabel.yaml"
    threads: all_cores()
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the epochs of three methods"
    script:
        "../scripts/time_convergence.py"


rule time_softmax:
    input:
        meta=planned(targets.timed_meta),
    output:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
    log:
        "results/logs/timing/softmax.log",
    conda:
        "../envs/toplabel.yaml"
    threads: all_cores()
    params:
        quick=plan.budget == "quick",
        fingerprint=plan.fingerprint("timing"),
    message:
        "Time the softmax of several solvers"
    script:
        "../scripts/time_softmax.py"
