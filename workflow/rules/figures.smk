# A rule for each row of toplabel.figures: a figure, with the numbers drawn (.csv) and what it shows in words (.json).


def figure_outputs(figure):
    """The files that the script of a figure writes, by their names there."""
    svg, csv, json = figure_files(figure.name)
    labels = {"figure": figure.source or figure.title}
    if "{dataset}" in figure.name:
        labels["data set"] = "{dataset}"
    caption = "../report/figure.rst"
    found = {
        "svg": report(svg, caption=caption, category="Figures", labels=labels),
        "csv": csv,
        "json": json,
    }
    for table in figure.tables:
        csv, json = table_files(table)
        caption, labels = "../report/table.rst", {"table": table}
        found |= {
            "table": report(csv, caption=caption, category="Tables", labels=labels),
            "about": json,
        }
    return found


def of_figure(figure, function):
    """An input function about one figure of this run."""
    return lambda wildcards: planned(
        function, figure.of(wildcards.get("dataset", "")), requested()
    )(wildcards)


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
        conda:
            "../envs/toplabel.yaml"
        params:
            shows=of_figure(figure, targets.figure_shows),
            # Tables of times have published ones beside them.
            printed=plan.names_sum() if figure.tables else "",
            script=f"workflow/scripts/{figure.script}.py",
            fingerprint=plan.fingerprint("figures"),
        message:
            f"Draw {figure.of('{wildcards.dataset}')}"
        script:
            "../../{params.script}"
