# The figure fig12, which lines.gp draws.

name = "fig12"
load "lines.gp"
