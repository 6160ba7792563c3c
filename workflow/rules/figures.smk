# The rows of toplabel.reproduction.report.figures.registry say what each figure is made from.
rule draw_figure:
    input:
        planned(targets.figure_inputs, "{figure}"),
    output:
        svg=report("results/figures/{figure}.svg", category="Figures"),
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


IN_CPU_TIME = ("peers", "projections")
ALL_CORES = workflow.resource_settings.cores or 1  # none is known on a cluster


# Times for the figures of TPAMI Fig. 3 and Table 2, and beside LIBLINEAR and scikit-learn. Wall time is measured with all
# cores taken, so that no other job disturbs the clock. Projections and peers are measured in CPU time.
rule time:
    input:
        unpack(planned(targets.timing_inputs, "{timing}")),
    output:
        csv="results/timing/{timing}.csv",
        json="results/timing/{timing}.json",
    log:
        "results/logs/timing/{timing}.log",
    wildcard_constraints:
        timing="convergence|peers|projections|softmax",
    threads: lambda wildcards: 1 if wildcards.timing in IN_CPU_TIME else ALL_CORES
    resources:
        **needs("time"),
    params:
        task=tasks.time,
    message:
        "Measure times: {wildcards.timing}"
    script:
        "../scripts/measure_times.py"


rule tabulate_times:
    input:
        projections="results/timing/projections.csv",
        about_projections="results/timing/projections.json",
        peers="results/timing/peers.csv",
        about_peers="results/timing/peers.json",
        printed=f"{ROOT}/data/published/tpami2017_table02.csv",
    output:
        table02="results/tables/table02.csv",
        about_table02="results/tables/table02.json",
        peers="results/tables/peers.csv",
        about_peers="results/tables/peers.json",
    log:
        "results/logs/tables/times.log",
    localrule: True
    message:
        "Write the tables of times"
    script:
        "../scripts/tabulate_times.py"
