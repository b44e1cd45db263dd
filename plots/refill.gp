# What each filling takes and what its deletes leave, over the cycles; a panel for each pattern.

name = "refill"
load "lines.gp"
