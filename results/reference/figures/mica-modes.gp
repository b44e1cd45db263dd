# The figure mica-modes, which bar-panels.gp draws.

name = "mica-modes"
load "bar-panels.gp"
