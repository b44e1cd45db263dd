styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# The figure malloc-memory, which lines.gp draws.

name = "malloc-memory"
own_scale = 1
columns = 3
reference = "live bytes"
load "lines.gp"
