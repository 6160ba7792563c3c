# Figures: what is drawn (.svg), with its numbers (.csv) and what it shows in words (.json). The rows of
# toplabel.reproduction.figures say what they are called and where they stand in the reports.

from toplabel.reproduction.figures import MATHEMATICS, figure_files


def figure(name):
    """Return the files of a figure by their endings."""
    return dict(zip(("svg", "csv", "json"), figure_files(name), strict=True))


localrules:
    draw_calibration,
    draw_circle,
    draw_convergence,
    draw_gaps,
    draw_mathematics,
    draw_scaling,
    draw_selection,
    draw_softmax,
    draw_topk,


rule draw_mathematics:
    output:
        **figure("{drawing}"),
    log:
        "results/logs/figures/{drawing}.log",
    wildcard_constraints:
        drawing="|".join(MATHEMATICS),
    params:
        sources=plan.sources("draw_mathematics.py"),
    message:
        "Draw {wildcards.drawing}"
    script:
        "../scripts/draw_mathematics.py"


rule draw_circle:
    input:
        meta="results/circle/data/meta.json",
        selections=planned(targets.figure_inputs, "tpami2017_figure04", "selection.csv"),
        models=planned(targets.figure_inputs, "tpami2017_figure04", "models.npz"),
    output:
        **figure("tpami2017_figure04"),
    log:
        "results/logs/figures/tpami2017_figure04.log",
    params:
        shows=planned(targets.figure_shows, "tpami2017_figure04"),
        sources=plan.sources("draw_circle.py"),
    message:
        "Draw tpami2017_figure04"
    script:
        "../scripts/draw_circle.py"


rule draw_selection:
    input:
        units=planned(targets.figure_inputs, "selection_{dataset}", "tune"),
    output:
        **figure("selection_{dataset}"),
    log:
        "results/logs/figures/selection_{dataset}.log",
    params:
        shows=planned(targets.figure_shows, "selection_{dataset}"),
        sources=plan.sources("draw_selection.py"),
    message:
        "Draw selection_{wildcards.dataset}"
    script:
        "../scripts/draw_selection.py"


rule draw_topk:
    input:
        evaluations=planned(targets.figure_inputs, "topk_{dataset}", "evaluation.csv"),
    output:
        **figure("topk_{dataset}"),
    log:
        "results/logs/figures/topk_{dataset}.log",
    params:
        shows=planned(targets.figure_shows, "topk_{dataset}"),
        sources=plan.sources("draw_topk.py"),
    message:
        "Draw topk_{wildcards.dataset}"
    script:
        "../scripts/draw_topk.py"


rule draw_gaps:
    input:
        evaluation="results/evaluation.csv",
    output:
        **figure("gaps"),
    log:
        "results/logs/figures/gaps.log",
    params:
        sources=plan.sources("draw_gaps.py"),
    message:
        "Draw gaps"
    script:
        "../scripts/draw_gaps.py"


rule draw_scaling:
    input:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
    output:
        **figure("tpami2017_figure03a"),
        table="results/tables/table02.csv",
        about="results/tables/table02.json",
    log:
        "results/logs/figures/tpami2017_figure03a.log",
    params:
        sources=plan.sources("draw_scaling.py"),
    message:
        "Draw tpami2017_figure03a"
    script:
        "../scripts/draw_scaling.py"


rule draw_convergence:
    input:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    output:
        **figure("tpami2017_figure03bc"),
    log:
        "results/logs/figures/tpami2017_figure03bc.log",
    params:
        sources=plan.sources("draw_convergence.py"),
    message:
        "Draw tpami2017_figure03bc"
    script:
        "../scripts/draw_convergence.py"


rule draw_softmax:
    input:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
    output:
        **figure("tpami2017_figure03d"),
        table="results/tables/figure03d.csv",
        about="results/tables/figure03d.json",
    log:
        "results/logs/figures/tpami2017_figure03d.log",
    params:
        sources=plan.sources("draw_softmax.py"),
    message:
        "Draw tpami2017_figure03d"
    script:
        "../scripts/draw_softmax.py"


rule draw_calibration:
    input:
        map="results/calibration/map.csv",
    output:
        **figure("calibration"),
    log:
        "results/logs/figures/calibration.log",
    params:
        sources=plan.sources("draw_calibration.py"),
    message:
        "Draw calibration"
    script:
        "../scripts/draw_calibration.py"


# The study of top-k calibration (TPAMI section 4, docs/losses.md): no data, no training.
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
    output:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
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
