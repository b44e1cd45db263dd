# The figure copy-routine, which bar-panels.gp draws.

name = "copy-routine"
settings = 1
load "bar-panels.gp"
