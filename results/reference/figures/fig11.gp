styled = "\"nibble\" \"nibble@preset=paper [c]\" \"mica [b]\" \"ramcloud [d]\" \"masstree:jemalloc [a]\""
colours = '#b0003a #7a0026 #5b9bc8 #eba91c #1b9e77'
patterns = '3 5 7 5 3'
point_types = '7 13 9 5 11'
dashes = '1 4 1 1 1'
legend_px = 26.0
legend = "set arrow 1000 from screen 207.5/width, screen 1 - 14.0/height to screen 233.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 220.5/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 237.5/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 291.0/width, screen 1 - 14.0/height to screen 317.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1501 '' at screen 304.0/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1001 'nibble@preset=paper [c]' at screen 321.0/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 484.2/width, screen 1 - 14.0/height to screen 510.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#5b9bc8' front; set label 1502 '' at screen 497.2/width, screen 1 - 14.0/height point pt 9 ps 1 lc rgb '#5b9bc8' front; set label 1002 'mica [b]' at screen 514.2/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 580.2/width, screen 1 - 14.0/height to screen 606.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#eba91c' front; set label 1503 '' at screen 593.2/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#eba91c' front; set label 1003 'ramcloud [d]' at screen 610.2/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 702.3/width, screen 1 - 14.0/height to screen 728.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#1b9e77' front; set label 1504 '' at screen 715.3/width, screen 1 - 14.0/height point pt 11 ps 1 lc rgb '#1b9e77' front; set label 1004 'masstree:jemalloc [a]' at screen 732.3/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 132.6
all_names = "\"nibble\" \"nibble@preset=paper [c]\" \"mica [b]\" \"ramcloud [d]\" \"masstree:jemalloc [a]\""
# The figure fig11, which lines.gp draws.

name = "fig11"
load "lines.gp"
