styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure memory-convergence, which lines.gp draws.

name = "memory-convergence"
own_scale = 1
columns = 2
load "lines.gp"
