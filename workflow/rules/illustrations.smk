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
    params:
        script="workflow/scripts/draw_losses.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the losses in one dimension"
    script:
        "../scripts/draw_losses.py"


rule draw_decoding:
    output:
        svg=report(
            "results/figures/nips2012_figure01.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "NIPS 2012, Fig. 1"},
        ),
        csv="results/figures/nips2012_figure01.csv",
        json="results/figures/nips2012_figure01.json",
    log:
        "results/logs/figures/nips2012_figure01.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_decoding.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the decoding regions"
    script:
        "../scripts/draw_decoding.py"


rule draw_levels:
    output:
        svg=report(
            "results/figures/nips2012_figure02.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "NIPS 2012, Fig. 2"},
        ),
        csv="results/figures/nips2012_figure02.csv",
        json="results/figures/nips2012_figure02.json",
    log:
        "results/logs/figures/nips2012_figure02.log",
    conda:
        "../envs/toplabel.yaml"
    params:
        script="workflow/scripts/draw_levels.py",
        fingerprint=plan.fingerprint("figures"),
    message:
        "Draw the level sets of the simplex losses"
    script:
        "../scripts/draw_levels.py"
