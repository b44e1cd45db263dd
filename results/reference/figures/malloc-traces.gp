# Replays of allocation traces: throughput, and the most memory held ÷ the most live.

name = "malloc-traces"
load "bar-panels.gp"
