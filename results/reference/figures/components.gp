# Epoch, placement and heads, each panel by itself.

name = "components"
settings = 1
own_axes = 1
columns = 3
load "lines.gp"
