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
        task=as_params(tasks.draw_figure),
    message:
        "Draw {wildcards.figure}"
    script:
        "../scripts/draw_figure.py"


ALL_CORES = workflow.resource_settings.cores or 1  # none is known on a cluster


# Times for TPAMI Fig. 3 and Table 2. Wall time is measured with all cores taken, so that no other job disturbs the clock;
# projections are measured in CPU time.
rule time:
    input:
        unpack(planned(targets.timing_inputs, "{timing}")),
    output:
        csv="results/timing/{timing}.csv",
        json="results/timing/{timing}.json",
    log:
        "results/logs/timing/{timing}.log",
    wildcard_constraints:
        timing="convergence|projections|softmax",
    threads: lambda wildcards: 1 if wildcards.timing == "projections" else ALL_CORES
    resources:
        **needs("time"),
    params:
        task=as_params(tasks.time),
    message:
        "Measure times: {wildcards.timing}"
    script:
        "../scripts/measure_times.py"


rule tabulate_times:
    input:
        times="results/timing/projections.csv",
        conditions="results/timing/projections.json",
        printed=f"{ROOT}/data/published/tpami2017_table02.csv",
    output:
        csv="results/tables/table02.csv",
        json="results/tables/table02.json",
    log:
        "results/logs/tables/times.log",
    localrule: True
    message:
        "Write the table of times"
    script:
        "../scripts/tabulate_times.py"
