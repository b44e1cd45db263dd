# Sizes that are asked for; a line for each trace.

name = "trace-sizes"
settings = 1
load "lines.gp"
