# Figures, each with the numbers drawn (.csv) and what it shows in words (.json).


rule draw_circle:
    input:
        meta="results/circle/data/meta.json",
        selections=[cell.path("selection.csv") for cell in targets.cells_of_circle()],
        models=[cell.path("models.npz") for cell in targets.cells_of_circle()],
    output:
        svg=report(
            f"results/figures/{CIRCLE_FIGURE}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "TPAMI 2017, Fig. 4"},
        ),
        csv=f"results/figures/{CIRCLE_FIGURE}.csv",
        json=f"results/figures/{CIRCLE_FIGURE}.json",
    log:
        f"results/logs/figures/{CIRCLE_FIGURE}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        methods=plan.method_labels(targets.cells_of_circle()),
        split=plan.split_names("circle")[0],
        metric="top2",
        script="workflow/scripts/draw_circle.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the circle"
    script:
        "../scripts/draw_circle.py"


rule draw_selection:
    input:
        selections=lambda wildcards: [
            cell.path("selection.csv")
            for cell in targets.cells_of_selection(requested(), wildcards.dataset)
        ],
        units=lambda wildcards: [
            unit
            for cell in targets.cells_of_selection(requested(), wildcards.dataset)
            for unit in plan.candidate_units(*cell.names)
        ],
    output:
        svg=report(
            "results/figures/selection_{dataset}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "selection curves, {dataset}"},
        ),
        csv="results/figures/selection_{dataset}.csv",
        json="results/figures/selection_{dataset}.json",
    log:
        "results/logs/figures/selection_{dataset}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        methods=lambda wildcards: plan.method_labels(
            targets.cells_of_selection(requested(), wildcards.dataset)
        ),
        split=lambda wildcards: plan.split_names(wildcards.dataset)[0],
        title=lambda wildcards: plan.registry[wildcards.dataset].title,
        script="workflow/scripts/draw_selection.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the selection curves of {wildcards.dataset}"
    script:
        "../scripts/draw_selection.py"


rule draw_gaps:
    input:
        evaluation="results/evaluation.csv",
    output:
        svg=report(
            "results/figures/gaps.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "duality gaps"},
        ),
        csv="results/figures/gaps.csv",
        json="results/figures/gaps.json",
    log:
        "results/logs/figures/gaps.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        eps=config["eps_train"],
        script="workflow/scripts/draw_gaps.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the duality gaps"
    script:
        "../scripts/draw_gaps.py"


rule draw_topk:
    input:
        evaluations=lambda wildcards: [
            cell.path("evaluation.csv")
            for cell in targets.cells_of_topk(requested(), wildcards.dataset)
        ],
    output:
        svg=report(
            "results/figures/topk_{dataset}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "top-k accuracy, {dataset}"},
        ),
        csv="results/figures/topk_{dataset}.csv",
        json="results/figures/topk_{dataset}.json",
    log:
        "results/logs/figures/topk_{dataset}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        methods=lambda wildcards: plan.method_labels(
            targets.cells_of_topk(requested(), wildcards.dataset)
        ),
        title=lambda wildcards: plan.registry[wildcards.dataset].title,
        script="workflow/scripts/draw_topk.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw top-k accuracy on {wildcards.dataset}"
    script:
        "../scripts/draw_topk.py"


rule draw_ranks:
    input:
        evaluation="results/evaluation.csv",
    output:
        svg=report(
            f"results/figures/{RANKS_FIGURE}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "mean ranks"},
        ),
        csv=f"results/figures/{RANKS_FIGURE}.csv",
        json=f"results/figures/{RANKS_FIGURE}.json",
    log:
        f"results/logs/figures/{RANKS_FIGURE}.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_ranks.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the mean ranks of the methods"
    script:
        "../scripts/draw_ranks.py"
