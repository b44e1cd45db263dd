# The figure memory-latency, which lines.gp draws.

name = "memory-latency"
load "lines.gp"
