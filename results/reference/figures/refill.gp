# What each filling takes and what its deletes leave, over the cycles; a panel for each pattern.

name = "refill"
own_scale = 1
load "lines.gp"
