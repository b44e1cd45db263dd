# Predictions, not measurements: epoch, placement and heads over threads, each panel by itself.

name = "model-fig8"
settings = 1
own_axes = 1
columns = 2
predicted = 1
load "lines.gp"
