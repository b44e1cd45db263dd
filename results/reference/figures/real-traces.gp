# The figure real-traces, which bar-panels.gp draws.

name = "real-traces"
load "bar-panels.gp"
