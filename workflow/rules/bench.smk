# Speed beside other solvers (docs/benchmarks.md): `snakemake --cores 1 bench`. One process with one thread of linear
# algebra; the rule takes all cores so that no other job disturbs its clocks. The tables of its groups lie beside the
# output and are written as each group ends: Snakemake would delete them if one of the groups failed.


rule bench:
    output:
        targets=report(
            "results/bench/targets.csv",
            category="Speed",
            labels={"what": "targets"},
        ),
    log:
        "results/logs/bench.log",
    threads: all_cores()
    resources:
        mem_mb=doubled(8000),
        runtime=doubled(240),
    params:
        fingerprint=plan.fingerprint("bench"),
    message:
        "Measure speed, for an hour"
    script:
        "../scripts/measure_speed.py"
