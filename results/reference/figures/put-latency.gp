# Percentiles of inserts and updates.

name = "put-latency"
reference = "roofline"
load "lines.gp"
