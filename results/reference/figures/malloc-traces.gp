# The figure malloc-traces, which bar-panels.gp draws.

name = "malloc-traces"
load "bar-panels.gp"
