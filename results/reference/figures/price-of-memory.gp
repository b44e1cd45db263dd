# The figure price-of-memory, which lines.gp draws.

name = "price-of-memory"
own_scale = 1
marked = 1
columns = 3
reference = "efficient frontier"
load "lines.gp"
