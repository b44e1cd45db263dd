# Operations whose key is among the objects used last; a line for each trace.

name = "trace-reuse"
settings = 1
load "lines.gp"
