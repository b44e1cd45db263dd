# The figure timeline, which lines.gp draws.

name = "timeline"
columns = 3
load "lines.gp"
