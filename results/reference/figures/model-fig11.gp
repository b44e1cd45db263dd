# The figure model-fig11, which lines.gp draws.

name = "model-fig11"
predicted = 1
load "lines.gp"
