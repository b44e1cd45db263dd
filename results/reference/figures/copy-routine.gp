# Throughput by value size and copy routine.

name = "copy-routine"
settings = 1
load "bar-panels.gp"
