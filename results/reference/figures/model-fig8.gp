# The figure model-fig8, which lines.gp draws.

name = "model-fig8"
settings = 1
own_axes = 1
predicted = 1
columns = 2
load "lines.gp"
