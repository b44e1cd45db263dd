styled = "\"live bytes\""
colours = '#0072b2'
patterns = '3'
point_types = '7'
dashes = '1'
legend_px = 6.0
legend = ""
direct = 1; names_px = 51.1
all_names = "\"live bytes\""
# The figure trace-live, which lines.gp draws.

name = "trace-live"
own_scale = 1
columns = 3
load "lines.gp"
