# The figure servers, which bar-panels.gp draws.

name = "servers"
load "bar-panels.gp"
