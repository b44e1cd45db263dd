# The figure capabilities, which bar-panels.gp draws.

name = "capabilities"
load "bar-panels.gp"
