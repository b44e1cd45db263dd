# Throughput and efficiency under YCSB's workloads.

name = "ycsb-core"
load "bar-panels.gp"
