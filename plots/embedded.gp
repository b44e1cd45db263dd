# Ordered and embedded stores in memory.

name = "embedded"
load "bar-panels.gp"
