# The figure compaction-workers, which lines.gp draws.

name = "compaction-workers"
settings = 1
load "lines.gp"
