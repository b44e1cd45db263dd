# Operations, and objects as thin lines, by how often their object is accessed; a line for each trace.

name = "fig10a"
settings = 1
thin = "objects up to that"
reference = "paper: 80 % of operations on objects accessed ≤ 18 times"
load "lines.gp"
