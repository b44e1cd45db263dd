# The figure refill, which lines.gp draws.

name = "refill"
own_scale = 1
load "lines.gp"
