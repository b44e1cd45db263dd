# The figure fig10a, which lines.gp draws.

name = "fig10a"
settings = 1
reference = "paper: 80 % of operations on objects accessed ≤ 18 times"
thin = "objects up to that"
load "lines.gp"
