# The rows of toplabel.reproduction.report.figures.registry say what each figure is made from.
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
    localrule: True
    params:
        task=tasks.draw_figure,
    message:
        "Draw {wildcards.figure}"
    script:
        "../scripts/draw_figure.py"


# The study of top-k calibration (TPAMI section 4, docs/evidence/calibration.md): no data, no training.
rule calibration:
    output:
        minima="results/calibration/minima.csv",
        cases="results/calibration/cases.csv",
        table="results/tables/calibration.csv",
        json="results/tables/calibration.json",
    log:
        "results/logs/calibration.log",
    benchmark:
        "results/benchmarks/calibration.tsv"
    resources:
        **needs(plan, "calibration", mb=1500),
    params:
        task=tasks.calibration,
    message:
        "Study the calibration of the losses"
    script:
        "../scripts/calibration.py"


# Times for the figures of TPAMI Fig. 3 and Table 2: some seconds each. The projections' is CPU time.
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
        task=tasks.time,
    message:
        "Time the projections"
    script:
        "../scripts/time_projections.py"


# Wall time, measured with all cores taken, so that no other job disturbs the clock.
rule time_training:
    input:
        meta=planned(targets.timed),
    output:
        csv="results/timing/{figure}.csv",
        json="results/timing/{figure}.json",
    log:
        "results/logs/timing/{figure}.log",
    wildcard_constraints:
        figure="convergence|softmax",
    threads: workflow.resource_settings.cores or 1  # none is known on a cluster
    resources:
        **needs(plan, "time_training", mb=2000),
    params:
        task=tasks.time,
    message:
        "Time the training for the figure {wildcards.figure}"
    script:
        "../scripts/time_training.py"


# CPU time beside LIBLINEAR and scikit-learn: the answer to how fast the solver is.
rule time_peers:
    input:
        meta=planned(targets.timed),
    output:
        table="results/tables/peers.csv",
        about="results/tables/peers.json",
    log:
        "results/logs/timing/peers.log",
    resources:
        **needs(plan, "time_peers", mb=2000),
    params:
        task=tasks.time,
    message:
        "Time the training beside LIBLINEAR and scikit-learn"
    script:
        "../scripts/time_peers.py"
