# The figure threads: panels of bars, each of which bars.gp draws.

name = "threads"
width = 1000; height = 8
styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
load "style.gp"
has_panel = 1; has_measure = 0; marks = 0
lower = "-min"; upper = "-max"
set multiplot

unset multiplot
