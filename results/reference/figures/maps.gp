# Maps that people use: throughput, efficiency, memory.

name = "maps"
load "bar-panels.gp"
