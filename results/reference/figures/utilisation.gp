# Throughput above, the tail of updates below, over the fill.

name = "utilisation"
reference = "roofline"
load "lines.gp"
