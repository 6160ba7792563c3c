# Figures that need neither data nor training.


rule draw_lambert:
    output:
        svg=report(
            "results/figures/tpami2017_figure02.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "TPAMI 2017, Fig. 2"},
        ),
        csv="results/figures/tpami2017_figure02.csv",
        json="results/figures/tpami2017_figure02.json",
    log:
        "results/logs/figures/tpami2017_figure02.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        script="workflow/scripts/draw_lambert.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw V(t)"
    script:
        "../scripts/draw_lambert.py"


rule draw_simplices:
    output:
        svg=report(
            "results/figures/nips2015_figure02.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "NIPS 2015, Fig. 2"},
        ),
        csv="results/figures/nips2015_figure02.csv",
        json="results/figures/nips2015_figure02.json",
    log:
        "results/logs/figures/nips2015_figure02.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        script="workflow/scripts/draw_simplices.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the top-k simplices"
    script:
        "../scripts/draw_simplices.py"


rule draw_losses:
    output:
        svg=report(
            "results/figures/losses_1d.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "losses in one dimension"},
        ),
        csv="results/figures/losses_1d.csv",
        json="results/figures/losses_1d.json",
    log:
        "results/logs/figures/losses_1d.log",
    conda:
        "../envs/toplabel.yaml"
    threads: 1
    params:
        script="workflow/scripts/draw_losses.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the losses in one dimension"
    script:
        "../scripts/draw_losses.py"
