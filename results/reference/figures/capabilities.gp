# What stores are capable of, a panel for each capability.

name = "capabilities"
load "bar-panels.gp"
