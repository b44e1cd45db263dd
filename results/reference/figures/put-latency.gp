# The figure put-latency, which lines.gp draws.

name = "put-latency"
reference = "roofline"
load "lines.gp"
