styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure refill, which lines.gp draws.

name = "refill"
own_scale = 1
load "lines.gp"
