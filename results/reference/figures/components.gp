# The figure components, which lines.gp draws.

name = "components"
settings = 1
own_axes = 1
columns = 3
load "lines.gp"
