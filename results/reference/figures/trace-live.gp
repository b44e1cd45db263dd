# The figure trace-live, which lines.gp draws.

name = "trace-live"
settings = 1
own_scale = 1
columns = 3
load "lines.gp"
