# The figure memory-protocols, which bar-panels.gp draws.

name = "memory-protocols"
load "bar-panels.gp"
