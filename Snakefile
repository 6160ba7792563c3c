# The workflow is in workflow/, where the Snakemake workflow catalog and modules look for it; here for a plain `snakemake`.


include: "workflow/Snakefile"
