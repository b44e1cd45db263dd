# Predictions, not measurements: time to complete Postmark over threads.

name = "model-fig11"
predicted = 1
load "lines.gp"
