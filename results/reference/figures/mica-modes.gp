# MICA's modes and batches.

name = "mica-modes"
load "bar-panels.gp"
