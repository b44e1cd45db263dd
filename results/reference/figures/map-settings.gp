# The figure map-settings: panels of bars, each of which bars.gp draws.

name = "map-settings"
width = 1000; height = 8
styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

unset multiplot
