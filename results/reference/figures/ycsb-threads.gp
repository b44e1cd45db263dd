styled = "\"nibble\" \"nibble@update=in-place\""
colours = '#b0003a #e8799a'
patterns = '3 4'
point_types = '7 5'
dashes = '1 2'
legend_px = 26.0
legend = "set arrow 1000 from screen 404.5/width, screen 1 - 14.0/height to screen 430.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 417.5/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 434.5/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 487.9/width, screen 1 - 14.0/height to screen 513.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 500.9/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=in-place' at screen 517.9/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 130.2
all_names = "\"nibble\" \"nibble@update=in-place\""
# The figure ycsb-threads, which lines.gp draws.

name = "ycsb-threads"
reference = "roofline"
load "lines.gp"
