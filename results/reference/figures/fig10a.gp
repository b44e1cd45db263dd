styled = "\"postmark\""
colours = '#0072b2'
patterns = '3'
point_types = '7'
dashes = '1'
legend_px = 26.0
legend = "set arrow 1000 from screen 273.0/width, screen 1 - 14.0/height to screen 299.0/width, screen 1 - 14.0/height nohead lw 1.4 dt 3 lc rgb '#444444' front; set label 1000 'objects up to that' at screen 303.0/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 423.5/width, screen 1 - 14.0/height to screen 449.5/width, screen 1 - 14.0/height nohead lw 1 dt 1 lc rgb '#555555' front; set label 1001 'paper: 80 % of operations on objects accessed ≤ 18 times' at screen 453.5/width, screen 1 - 14.0/height left front"
direct = 1; names_px = 50.0
all_names = "\"postmark\""
# The figure fig10a, which lines.gp draws.

name = "fig10a"
reference = "paper: 80 % of operations on objects accessed ≤ 18 times"
thin = "objects up to that"
load "lines.gp"
