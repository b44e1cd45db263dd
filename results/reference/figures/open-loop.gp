# The figure open-loop, which lines.gp draws.

name = "open-loop"
thin = "from the real start"
load "lines.gp"
