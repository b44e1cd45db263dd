# The figure nibble-2, which lines.gp draws.

name = "nibble-2"
settings = 1
columns = 2
load "lines.gp"
