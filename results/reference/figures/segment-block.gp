styled = "\"256KiB\" \"1MiB\" \"4MiB\" \"64 B\" \"500 B\" \"1KiB\""
colours = '#0072b2 #e69f00 #00664a #cc79a7 #333333 #d55e00'
patterns = '3 5 4 1 2 6'
point_types = '7 5 9 11 1 13'
dashes = '1 2 4 5 2 4'
# The figure segment-block, which heat.gp draws.

name = "segment-block"
load "heat.gp"
