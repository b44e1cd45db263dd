# Throughput over the sizes of segments and blocks.

name = "segment-block"
load "heat.gp"
