# Throughput over threads, a panel for each distribution and mix.

name = "ycsb-threads"
reference = "roofline"
load "lines.gp"
