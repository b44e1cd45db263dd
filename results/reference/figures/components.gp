styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure components, which lines.gp draws.

name = "components"
own_axes = 1
columns = 3
load "lines.gp"
