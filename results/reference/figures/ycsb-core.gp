# The figure ycsb-core, which bar-panels.gp draws.

name = "ycsb-core"
load "bar-panels.gp"
