# The figure trace-sizes, which lines.gp draws.

name = "trace-sizes"
settings = 1
load "lines.gp"
