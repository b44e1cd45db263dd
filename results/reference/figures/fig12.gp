styled = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper [b]\" \"mica [a]\""
colours = '#b0003a #e8799a #7a0026 #5b9bc8'
patterns = '3 4 5 7'
point_types = '7 5 13 9'
dashes = '1 2 4 1'
legend_px = 26.0
legend = "set arrow 1000 from screen 260.8/width, screen 1 - 14.0/height to screen 286.8/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 273.8/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 290.8/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 344.2/width, screen 1 - 14.0/height to screen 370.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 357.2/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=append' at screen 374.2/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 532.3/width, screen 1 - 14.0/height to screen 558.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1502 '' at screen 545.3/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper [b]' at screen 562.3/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 726.7/width, screen 1 - 14.0/height to screen 752.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#5b9bc8' front; set label 1503 '' at screen 739.7/width, screen 1 - 14.0/height point pt 9 ps 1 lc rgb '#5b9bc8' front; set label 1003 'mica [a]' at screen 756.7/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 133.7
all_names = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper [b]\" \"mica [a]\""
# The figure fig12, which lines.gp draws.

name = "fig12"
load "lines.gp"
