styled = "\"postmark\""
colours = '#0072b2'
patterns = '3'
point_types = '7'
dashes = '1'
legend_px = 6.0
legend = ""
direct = 1; names_px = 50.0
all_names = "\"postmark\""
# The figure trace-sizes, which lines.gp draws.

name = "trace-sizes"
load "lines.gp"
