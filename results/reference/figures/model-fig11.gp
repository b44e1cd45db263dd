styled = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica\" \"ramcloud\" \"masstree:jemalloc\""
colours = '#b0003a #e8799a #7a0026 #5b9bc8 #eba91c #1b9e77'
patterns = '3 4 5 7 5 3'
point_types = '7 5 13 9 5 11'
dashes = '1 2 4 1 1 1'
legend_px = 26.0
legend = "set arrow 1000 from screen 85.9/width, screen 1 - 14.0/height to screen 111.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 115.9/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 169.3/width, screen 1 - 14.0/height to screen 195.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1001 'nibble@update=append' at screen 199.3/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 357.4/width, screen 1 - 14.0/height to screen 383.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper' at screen 387.4/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 531.4/width, screen 1 - 14.0/height to screen 557.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#5b9bc8' front; set label 1003 'mica' at screen 561.4/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 607.0/width, screen 1 - 14.0/height to screen 633.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#eba91c' front; set label 1004 'ramcloud' at screen 637.0/width, screen 1 - 14.0/height left front; set arrow 1005 from screen 708.8/width, screen 1 - 14.0/height to screen 734.8/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#1b9e77' front; set label 1005 'masstree:jemalloc' at screen 738.8/width, screen 1 - 14.0/height left front; set label 1506 '' at screen 875.1/width, screen 1 - 14.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1006 'measured here' at screen 892.1/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 127.9
all_names = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica\" \"ramcloud\" \"masstree:jemalloc\""
# The figure model-fig11, which lines.gp draws.

name = "model-fig11"
predicted = 1
load "lines.gp"
