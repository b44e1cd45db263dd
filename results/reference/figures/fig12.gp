styled = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper [b]\" \"mica [a]\""
colours = '#b0003a #e8799a #7a0026 #5b9bc8'
patterns = '3 4 5 7'
point_types = '7 5 13 9'
dashes = '1 2 4 1'
legend_px = 26.0
legend = "set arrow 1000 from screen 259.5/width, screen 1 - 14.0/height to screen 285.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 272.5/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 289.5/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 343.0/width, screen 1 - 14.0/height to screen 369.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 356.0/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=in-place' at screen 373.0/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 533.6/width, screen 1 - 14.0/height to screen 559.6/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1502 '' at screen 546.6/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper [b]' at screen 563.6/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 728.0/width, screen 1 - 14.0/height to screen 754.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#5b9bc8' front; set label 1503 '' at screen 741.0/width, screen 1 - 14.0/height point pt 9 ps 1 lc rgb '#5b9bc8' front; set label 1003 'mica [a]' at screen 758.0/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 133.7
all_names = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper [b]\" \"mica [a]\""
# The figure fig12, which lines.gp draws.

name = "fig12"
load "lines.gp"
