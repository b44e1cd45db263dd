# The figure mapping-cost, which lines.gp draws.

name = "mapping-cost"
load "lines.gp"
