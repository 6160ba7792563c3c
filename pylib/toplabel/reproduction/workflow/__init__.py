"""What the Snakefile and its scripts share: the plan of a run, fingerprints, the lock, the
machine.
"""
