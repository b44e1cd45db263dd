# The figure rivals, which lines.gp draws.

name = "rivals"
reference = "roofline"
load "lines.gp"
