"""The figures.

A figure is a row of `toplabel.reproduction.report.figures.registry` and a
`toplabel.reproduction.report.figures.drawing.Design`: its words, a function of the files that it is
made from, which returns the frame that is drawn, and one that draws it. `drawing.make_figure` writes
all to results/figures.
"""
