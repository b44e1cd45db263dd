# Throughput and p99 of each second.

name = "timeline"
columns = 3
load "lines.gp"
