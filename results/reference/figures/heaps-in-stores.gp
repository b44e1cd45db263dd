# The figure heaps-in-stores, which bar-panels.gp draws.

name = "heaps-in-stores"
load "bar-panels.gp"
