styled = "\"nibble@preset=paper\""
colours = '#7a0026'
patterns = '5'
point_types = '13'
dashes = '4'
legend_px = 6.0
legend = ""
direct = 1; names_px = 115.1
all_names = "\"nibble@preset=paper\""
# The figure timeline, which lines.gp draws.

name = "timeline"
columns = 3
load "lines.gp"
