# The figure ramcloud-patterns: panels of bars, each of which bars.gp draws.

name = "ramcloud-patterns"
width = 1000; height = 8
styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
load "style.gp"
has_panel = 1; has_measure = 0; marks = 1
lower = "-min"; upper = "-max"
set multiplot

unset multiplot
