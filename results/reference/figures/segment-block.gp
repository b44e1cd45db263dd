styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
# The figure segment-block, which heat.gp draws.

name = "segment-block"
load "heat.gp"
