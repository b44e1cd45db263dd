styled = "\"1 thread\" \"2 threads\""
colours = '#0072b2 #e69f00'
patterns = '3 5'
point_types = '7 5'
dashes = '1 2'
legend_px = 6.0
legend = ""
direct = 1; names_px = 50.3
all_names = "\"1 thread\" \"2 threads\""
# The figure nibble-2, which lines.gp draws.

name = "nibble-2"
columns = 2
load "lines.gp"
