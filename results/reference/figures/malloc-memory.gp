# The figure malloc-memory, which lines.gp draws.

name = "malloc-memory"
own_scale = 1
columns = 3
reference = "live bytes"
load "lines.gp"
