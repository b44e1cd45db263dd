# Live bytes over the length of a trace, a panel for each.

name = "trace-live"
settings = 1
own_scale = 1
columns = 3
load "lines.gp"
