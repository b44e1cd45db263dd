# Throughput with updates in place ÷ appended, over the mix.

name = "nibble-2"
settings = 1
columns = 2
load "lines.gp"
