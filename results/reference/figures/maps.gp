# The figure maps, which bar-panels.gp draws.

name = "maps"
load "bar-panels.gp"
