styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure timeline, which lines.gp draws.

name = "timeline"
columns = 3
load "lines.gp"
