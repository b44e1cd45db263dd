# The figure memory-convergence, which lines.gp draws.

name = "memory-convergence"
own_scale = 1
columns = 2
load "lines.gp"
