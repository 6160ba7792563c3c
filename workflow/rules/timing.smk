# Figures of times (TPAMI Fig. 3, Table 2): some seconds each. The rules that measure take all cores, so that no other
# job disturbs their clocks; those that draw can be repeated without measuring again.


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


rule draw_scaling:
    input:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
    output:
        svg=report(
            "results/figures/tpami2017_figure03a.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "TPAMI 2017, Fig. 3a"},
        ),
        csv="results/figures/tpami2017_figure03a.csv",
        json="results/figures/tpami2017_figure03a.json",
        table=report(
            "results/tables/table02.csv",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "table02"},
        ),
        about="results/tables/table02.json",
    log:
        "results/logs/figures/tpami2017_figure03a.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_scaling.py",
        printed=plan.names_sum(),
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the scaling of the projections"
    script:
        "../scripts/draw_scaling.py"


rule draw_convergence:
    input:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    output:
        svg=report(
            "results/figures/tpami2017_figure03bc.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "TPAMI 2017, Fig. 3b-c"},
        ),
        csv="results/figures/tpami2017_figure03bc.csv",
        json="results/figures/tpami2017_figure03bc.json",
    log:
        "results/logs/figures/tpami2017_figure03bc.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_convergence.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw gap and accuracy against time"
    script:
        "../scripts/draw_convergence.py"


rule draw_softmax:
    input:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
    output:
        svg=report(
            "results/figures/tpami2017_figure03d.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "TPAMI 2017, Fig. 3d"},
        ),
        csv="results/figures/tpami2017_figure03d.csv",
        json="results/figures/tpami2017_figure03d.json",
        table=report(
            "results/tables/figure03d.csv",
            caption="../report/table.rst",
            category="Tables",
            labels={"table": "figure03d"},
        ),
        about="results/tables/figure03d.json",
    log:
        "results/logs/figures/tpami2017_figure03d.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_softmax.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the softmax of several solvers"
    script:
        "../scripts/draw_softmax.py"
