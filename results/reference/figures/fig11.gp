styled = "\"nibble [a]\" \"nibble@preset=paper [b]\""
colours = '#b0003a #7a0026'
patterns = '3 5'
point_types = '7 13'
dashes = '1 4'
legend_px = 6.0
legend = ""
direct = 1; names_px = 133.7
all_names = "\"nibble [a]\" \"nibble@preset=paper [b]\""
# The figure fig11, which lines.gp draws.

name = "fig11"
load "lines.gp"
