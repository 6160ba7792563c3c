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


for target in targets.named():

    rule:
        name:
            target
        input:
            planned(targets.outputs, target),
