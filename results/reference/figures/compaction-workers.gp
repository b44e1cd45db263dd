styled = "\"background\" \"background, paper\""
colours = '#0072b2 #e69f00'
patterns = '3 5'
point_types = '7 5'
dashes = '1 2'
legend_px = 6.0
legend = ""
direct = 1; names_px = 99.5
all_names = "\"background\" \"background, paper\""
# The figure compaction-workers, which lines.gp draws.

name = "compaction-workers"
load "lines.gp"
