# The workflow is in workflow/, where the Snakemake workflow catalog and modules look for it; here for a plain `snakemake`.


include: "workflow/Snakefile"


# An included file does not say what is made without a target.
workflow.default_target = "all"
