styled = "\"nibble@update=append [b]\" \"nibble@preset=paper [a]\""
colours = '#e8799a #7a0026'
patterns = '4 5'
point_types = '5 13'
dashes = '2 4'
legend_px = 6.0
legend = ""
direct = 1; names_px = 146.5
all_names = "\"nibble@update=append [b]\" \"nibble@preset=paper [a]\""
# The figure fig11, which lines.gp draws.

name = "fig11"
load "lines.gp"
