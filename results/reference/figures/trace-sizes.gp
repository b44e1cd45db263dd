styled = "\"malloc-compiler\" \"malloc-database\" \"malloc-interpreter\" \"postmark\""
colours = '#0072b2 #e69f00 #00664a #cc79a7'
patterns = '3 5 4 1'
point_types = '7 5 9 11'
dashes = '1 2 4 5'
legend_px = 26.0
legend = "set arrow 1000 from screen 272.4/width, screen 1 - 14.0/height to screen 298.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#0072b2' front; set label 1000 'malloc-compiler' at screen 302.4/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 412.4/width, screen 1 - 14.0/height to screen 438.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e69f00' front; set label 1001 'malloc-database' at screen 442.4/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 555.9/width, screen 1 - 14.0/height to screen 581.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#00664a' front; set label 1002 'malloc-interpreter' at screen 585.9/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 707.8/width, screen 1 - 14.0/height to screen 733.8/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#cc79a7' front; set label 1003 'postmark' at screen 737.8/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 94.9
all_names = "\"malloc-compiler\" \"malloc-database\" \"malloc-interpreter\" \"postmark\""
# The figure trace-sizes, which lines.gp draws.

name = "trace-sizes"
load "lines.gp"
