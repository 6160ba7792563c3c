# Figures: what is drawn (.svg), with its numbers (.csv) and what it shows in words (.json). The rows of
# toplabel.reproduction.figures say what they are called and where they stand in the reports.

from toplabel.reproduction.figures import MATHEMATICS


localrules:
    draw_calibration,
    draw_circle,
    draw_convergence,
    draw_gaps,
    draw_mathematics,
    draw_ranks,
    draw_scaling,
    draw_selection,
    draw_softmax,
    draw_topk,


rule draw_mathematics:
    output:
        **figure("{drawing}", "{drawing}"),
    log:
        "results/logs/figures/{drawing}.log",
    wildcard_constraints:
        drawing="|".join(MATHEMATICS),
    params:
        fingerprint=plan.fingerprint("figures"),
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
        **figure("tpami2017_figure04", "TPAMI 2017, Fig. 4"),
    log:
        "results/logs/figures/tpami2017_figure04.log",
    params:
        shows=planned(targets.figure_shows, "tpami2017_figure04"),
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw tpami2017_figure04"
    script:
        "../scripts/draw_circle.py"


rule draw_selection:
    input:
        units=planned(targets.figure_inputs, "selection_{dataset}", "tune"),
    output:
        **figure("selection_{dataset}", "Validation value against C", of_set=True),
    log:
        "results/logs/figures/selection_{dataset}.log",
    params:
        shows=planned(targets.figure_shows, "selection_{dataset}"),
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw selection_{wildcards.dataset}"
    script:
        "../scripts/draw_selection.py"


rule draw_topk:
    input:
        evaluations=planned(targets.figure_inputs, "topk_{dataset}", "evaluation.csv"),
    output:
        **figure("topk_{dataset}", "Top-k accuracy against k", of_set=True),
    log:
        "results/logs/figures/topk_{dataset}.log",
    params:
        shows=planned(targets.figure_shows, "topk_{dataset}"),
        # Published numbers stand beside the measured ones.
        printed=plan.names_sum(),
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw topk_{wildcards.dataset}"
    script:
        "../scripts/draw_topk.py"


rule draw_ranks:
    input:
        evaluation="results/evaluation.csv",
    output:
        **figure("mean_ranks", "Mean rank of the methods over data sets"),
    log:
        "results/logs/figures/mean_ranks.log",
    params:
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw mean_ranks"
    script:
        "../scripts/draw_ranks.py"


rule draw_gaps:
    input:
        evaluation="results/evaluation.csv",
    output:
        **figure("gaps", "Relative duality gap of every trained model"),
    log:
        "results/logs/figures/gaps.log",
    params:
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw gaps"
    script:
        "../scripts/draw_gaps.py"


rule draw_scaling:
    input:
        csv="results/timing/projections.csv",
        json="results/timing/projections.json",
    output:
        **figure("tpami2017_figure03a", "TPAMI 2017, Fig. 3a"),
        **table("table02"),
    log:
        "results/logs/figures/tpami2017_figure03a.log",
    params:
        printed=plan.names_sum(),
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw tpami2017_figure03a"
    script:
        "../scripts/draw_scaling.py"


rule draw_convergence:
    input:
        csv="results/timing/convergence.csv",
        json="results/timing/convergence.json",
    output:
        **figure("tpami2017_figure03bc", "TPAMI 2017, Fig. 3b-c"),
    log:
        "results/logs/figures/tpami2017_figure03bc.log",
    params:
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw tpami2017_figure03bc"
    script:
        "../scripts/draw_convergence.py"


rule draw_softmax:
    input:
        csv="results/timing/softmax.csv",
        json="results/timing/softmax.json",
    output:
        **figure("tpami2017_figure03d", "TPAMI 2017, Fig. 3d"),
        **table("figure03d"),
    log:
        "results/logs/figures/tpami2017_figure03d.log",
    params:
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw tpami2017_figure03d"
    script:
        "../scripts/draw_softmax.py"


rule draw_calibration:
    input:
        map="results/calibration/map.csv",
    output:
        **figure("calibration", "TPAMI 2017, section 4"),
    log:
        "results/logs/figures/calibration.log",
    params:
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw calibration"
    script:
        "../scripts/draw_calibration.py"
