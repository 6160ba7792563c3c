"""Numbers of the figures that need neither data nor training: a function, a polytope, losses along
a line.
"""
