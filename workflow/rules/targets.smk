# Targets by human names: `snakemake --cores 2 letter`, `... table05`, `... report`. Those that stand for cells end with
# their test metrics; the reports show all that are there.


rule data:
    input:
        "results/datasets.csv",
        planned(targets.prepared),


# What the data sets of the config hold, printed: reads their files alone.
rule check:
    input:
        metas=planned(targets.own_or_all),
    log:
        "results/logs/check.log",
    localrule: True
    message:
        "Look at the data sets"
    script:
        "../scripts/check.py"


# A tiny copy of the default run in a folder of its own; it decides itself what is left to do.
rule smoke:
    log:
        "results/logs/smoke.log",
    localrule: True
    threads: workflow.resource_settings.cores or 1
    params:
        python=sys.executable,
        snakefile=f"{ROOT}/Snakefile",
        configfile=f"{ROOT}/config/smoke.yaml",
    message:
        "Run config/smoke.yaml in results/smoke"
    shell:
        "{params.python:q} -m snakemake --snakefile {params.snakefile:q}"
        " --configfile {params.configfile:q} --directory results/smoke --cores {threads}"
        " 2>&1 | tee {log:q}"


for target in targets.named():

    rule:
        name:
            target
        input:
            planned(targets.outputs, target),
