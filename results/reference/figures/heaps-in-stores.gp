# Allocators under key-value traffic.

name = "heaps-in-stores"
load "bar-panels.gp"
