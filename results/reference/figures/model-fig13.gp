# The figure model-fig13, which lines.gp draws.

name = "model-fig13"
predicted = 1
columns = 2
load "lines.gp"
