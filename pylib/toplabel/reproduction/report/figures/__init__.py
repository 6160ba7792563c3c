"""The figures: one module for each computes its numbers and draws them.

A figure is a row of `toplabel.reproduction.report.figures.registry` and a module with two functions:
``numbers(source)`` returns the frame that is drawn, ``draw(frame)`` the drawing of it. The module has
the words, too. `toplabel.reproduction.report.figures.drawing.make_figure` writes all to
results/figures.
"""
