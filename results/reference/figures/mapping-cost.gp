styled = "\"pages of 4KiB, 1 thread\" \"pages of 2MiB, 1 thread\""
colours = '#0072b2 #e69f00'
patterns = '3 5'
point_types = '7 5'
dashes = '1 2'
legend_px = 6.0
legend = ""
direct = 1; names_px = 125.7
all_names = "\"pages of 4KiB, 1 thread\" \"pages of 2MiB, 1 thread\""
# The figure mapping-cost, which lines.gp draws.

name = "mapping-cost"
load "lines.gp"
