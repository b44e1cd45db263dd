# Latency over the scheduled rate.

name = "open-loop"
thin = "from the real start"
load "lines.gp"
