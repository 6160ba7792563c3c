"""Result files: one description of each CSV file between the stages, by which it is written and
read.

`cells` has those of one data set and method, `collected` those of a whole run: two modules, so that
a change of what is collected does not make every model be trained again
(`toplabel.reproduction.workflow.fingerprints`).
"""
