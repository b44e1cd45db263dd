styled = "\"nibble\" \"nibble@update=append\""
colours = '#b0003a #e8799a'
patterns = '3 4'
point_types = '7 5'
dashes = '1 2'
legend_px = 26.0
legend = "set arrow 1000 from screen 359.9/width, screen 1 - 14.0/height to screen 385.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 372.9/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 389.9/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 443.3/width, screen 1 - 14.0/height to screen 469.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 456.3/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=append' at screen 473.3/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 631.4/width, screen 1 - 14.0/height to screen 657.4/width, screen 1 - 14.0/height nohead lw 1 dt 1 lc rgb '#555555' front; set label 1002 'roofline' at screen 661.4/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 127.9
all_names = "\"nibble\" \"nibble@update=append\""
# The figure ycsb-threads, which lines.gp draws.

name = "ycsb-threads"
reference = "roofline"
load "lines.gp"
