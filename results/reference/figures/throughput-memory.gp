# The figure throughput-memory: panels of bars, each of which bars.gp draws.

name = "throughput-memory"
width = 1000; height = 8
styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
load "style.gp"
has_panel = 0; has_measure = 0; marks = 0
lower = "-low"; upper = "-high"
set multiplot

unset multiplot
