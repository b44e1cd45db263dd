# Stores under real traces: throughput, memory.

name = "real-traces"
load "bar-panels.gp"
