styled = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"ramcloud\" \"ramcloud@instances=2\" \"masstree:jemalloc\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #eba91c #74430a #1b9e77'
patterns = '3 4 5 1 5 2 3'
point_types = '7 5 13 9 5 4 11'
dashes = '1 2 4 2 1 2 1'
legend_px = 42.0
legend = "set arrow 1000 from screen 163.4/width, screen 1 - 14.0/height to screen 189.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 193.4/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 246.9/width, screen 1 - 14.0/height to screen 272.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1001 'nibble@update=in-place' at screen 276.9/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 437.5/width, screen 1 - 14.0/height to screen 463.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper' at screen 467.5/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 611.5/width, screen 1 - 14.0/height to screen 637.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#1f78b4' front; set label 1003 'mica@preset=nibble-paper' at screen 641.5/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 817.7/width, screen 1 - 14.0/height to screen 843.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#eba91c' front; set label 1004 'ramcloud' at screen 847.7/width, screen 1 - 14.0/height left front; set arrow 1005 from screen 304.8/width, screen 1 - 30.0/height to screen 330.8/width, screen 1 - 30.0/height nohead lw 1.6 dt 2 lc rgb '#74430a' front; set label 1005 'ramcloud@instances=2' at screen 334.8/width, screen 1 - 30.0/height left front; set arrow 1006 from screen 489.9/width, screen 1 - 30.0/height to screen 515.9/width, screen 1 - 30.0/height nohead lw 1.6 dt 1 lc rgb '#1b9e77' front; set label 1006 'masstree:jemalloc' at screen 519.9/width, screen 1 - 30.0/height left front; set label 1507 '' at screen 656.1/width, screen 1 - 30.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1007 'measured here' at screen 673.1/width, screen 1 - 30.0/height left front"
direct = 0; names_px = 144.5
all_names = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"ramcloud\" \"ramcloud@instances=2\" \"masstree:jemalloc\""
# The figure model-fig13, which lines.gp draws.

name = "model-fig13"
predicted = 1
columns = 2
load "lines.gp"
