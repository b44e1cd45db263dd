# Throughput and CPU time over the number of compaction workers.

name = "compaction-workers"
settings = 1
load "lines.gp"
