# The figure ycsb-threads, which lines.gp draws.

name = "ycsb-threads"
reference = "roofline"
load "lines.gp"
