# A rule for each row of toplabel.reproduction.figures: a figure, with the numbers drawn (.csv) and what it shows in words (.json).

for figure in FIGURES:

    rule:
        name:
            figure.script
        input:
            unpack(of_figure(figure, targets.figure_inputs)),
        output:
            **figure_outputs(figure),
        log:
            f"results/logs/figures/{figure.name}.log",
        localrule: True
        params:
            shows=of_figure(figure, targets.figure_shows),
            # Tables of times and test metrics have published numbers beside them.
            printed=plan.names_sum() if figure.tables or "evaluations" in figure.cells else "",
            script=f"workflow/scripts/{figure.script}.py",
            fingerprint=plan.fingerprint("figures"),
        message:
            f"Draw {figure.of('{wildcards.dataset}')}"
        script:
            "../../{params.script}"
