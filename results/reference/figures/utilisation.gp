# The figure utilisation, which lines.gp draws.

name = "utilisation"
reference = "roofline"
load "lines.gp"
