# Predictions, not measurements: the paper's rivals over threads, a panel for each distribution and mix.

name = "model-fig13"
columns = 2
predicted = 1
load "lines.gp"
