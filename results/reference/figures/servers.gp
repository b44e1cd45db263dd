# Servers behind sockets: throughput and memory.

name = "servers"
load "bar-panels.gp"
