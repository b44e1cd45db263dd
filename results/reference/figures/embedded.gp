# The figure embedded, which bar-panels.gp draws.

name = "embedded"
load "bar-panels.gp"
