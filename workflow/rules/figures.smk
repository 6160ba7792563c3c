# Figures: what is drawn (.svg), with its numbers (.csv) and its words (.json). The rows of
# toplabel.reproduction.report.figures.registry say what each is made from.


localrules:
    draw_figure,


rule draw_figure:
    input:
        planned(targets.figure_inputs, "{figure}"),
    output:
        svg="results/figures/{figure}.svg",
        csv="results/figures/{figure}.csv",
        json="results/figures/{figure}.json",
    log:
        "results/logs/figures/{figure}.log",
    wildcard_constraints:
        figure="|".join(targets.known_figures),
    params:
        shows=planned(targets.figure_shows, "{figure}"),
        sources=planned(targets.figure_sources, "{figure}"),
    message:
        "Draw {wildcards.figure}"
    script:
        "../scripts/draw_figure.py"


# The study of top-k calibration (TPAMI section 4, docs/evidence/calibration.md): no data, no training.
rule study_calibration:
    output:
        minima="results/calibration/minima.csv",
        cases="results/calibration/cases.csv",
        map="results/calibration/map.csv",
        table="results/tables/calibration.csv",
        json="results/tables/calibration.json",
    log:
        "results/logs/calibration.log",
    benchmark:
        "results/benchmarks/calibration.tsv"
    resources:
        **needs(plan, "calibration", mb=1500),
    params:
        seed=plan.run.seed,
        each=1 if plan.budget == "quick" else 2,
        divisions=4 if plan.budget == "quick" else 10,
        sources=plan.sources("study_calibration.py"),
    message:
        "Study the calibration of the losses"
    script:
        "../scripts/study_calibration.py"


# Times for the figures of TPAMI Fig. 3 and Table 2: some seconds each. Wall time is measured with all cores taken, so
# that no other job disturbs the clock; the projections' is CPU time.
rule time_projections:
    input:
        printed=f"{ROOT}/data/published/tpami2017_table02.csv",
    output:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
        table="results/tables/table02.csv",
        about="results/tables/table02.json",
    log:
        "results/logs/timing/projections.log",
    resources:
        **needs(plan, "time_projections", mb=2000),
    params:
        quick=plan.budget == "quick",
        sources=plan.sources("time_projections.py"),
    message:
        "Time the projections"
    script:
        "../scripts/time_projections.py"


rule time_convergence:
    input:
        meta=planned(targets.timed),
    output:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    log:
        "results/logs/timing/convergence.log",
    threads: workflow.resource_settings.cores or 1  # none is known on a cluster
    resources:
        **needs(plan, "time_convergence", mb=2000),
    params:
        quick=plan.budget == "quick",
        sources=plan.sources("time_convergence.py"),
    message:
        "Time the convergence"
    script:
        "../scripts/time_convergence.py"


rule time_softmax:
    input:
        meta=planned(targets.timed),
    output:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
        table="results/tables/figure03d.csv",
        about="results/tables/figure03d.json",
    log:
        "results/logs/timing/softmax.log",
    threads: workflow.resource_settings.cores or 1  # none is known on a cluster
    resources:
        **needs(plan, "time_softmax", mb=2000),
    params:
        quick=plan.budget == "quick",
        sources=plan.sources("time_softmax.py"),
    message:
        "Time the softmax"
    script:
        "../scripts/time_softmax.py"
