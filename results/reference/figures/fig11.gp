# The figure fig11, which lines.gp draws.

name = "fig11"
load "lines.gp"
