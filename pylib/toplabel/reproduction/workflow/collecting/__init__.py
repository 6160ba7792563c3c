"""What the collecting stages do, for their scripts and for a report on a run that did not finish.

A module per stage, so that a change of one does not make the others run again
(`toplabel.reproduction.workflow.fingerprints`).
"""
