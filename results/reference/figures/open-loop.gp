styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure open-loop, which lines.gp draws.

name = "open-loop"
thin = "from the real start"
load "lines.gp"
