# The figure first-touch, which bar-panels.gp draws.

name = "first-touch"
load "bar-panels.gp"
