# The figure trace-reuse, which lines.gp draws.

name = "trace-reuse"
settings = 1
load "lines.gp"
