styled = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"ramcloud\" \"ramcloud@instances=2\" \"masstree:jemalloc\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #eba91c #74430a #1b9e77'
patterns = '3 4 5 1 5 2 3'
point_types = '7 5 13 9 5 4 11'
dashes = '1 2 4 2 1 2 1'
legend_px = 42.0
legend = "set arrow 1000 from screen 164.7/width, screen 1 - 14.0/height to screen 190.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 194.7/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 248.1/width, screen 1 - 14.0/height to screen 274.1/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1001 'nibble@update=append' at screen 278.1/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 436.2/width, screen 1 - 14.0/height to screen 462.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper' at screen 466.2/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 610.2/width, screen 1 - 14.0/height to screen 636.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#1f78b4' front; set label 1003 'mica@preset=nibble-paper' at screen 640.2/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 816.5/width, screen 1 - 14.0/height to screen 842.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#eba91c' front; set label 1004 'ramcloud' at screen 846.5/width, screen 1 - 14.0/height left front; set arrow 1005 from screen 304.8/width, screen 1 - 30.0/height to screen 330.8/width, screen 1 - 30.0/height nohead lw 1.6 dt 2 lc rgb '#74430a' front; set label 1005 'ramcloud@instances=2' at screen 334.8/width, screen 1 - 30.0/height left front; set arrow 1006 from screen 489.9/width, screen 1 - 30.0/height to screen 515.9/width, screen 1 - 30.0/height nohead lw 1.6 dt 1 lc rgb '#1b9e77' front; set label 1006 'masstree:jemalloc' at screen 519.9/width, screen 1 - 30.0/height left front; set label 1507 '' at screen 656.1/width, screen 1 - 30.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1007 'measured here' at screen 673.1/width, screen 1 - 30.0/height left front"
direct = 0; names_px = 144.5
all_names = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"ramcloud\" \"ramcloud@instances=2\" \"masstree:jemalloc\""
# The figure model-fig13, which lines.gp draws.

name = "model-fig13"
predicted = 1
columns = 2
load "lines.gp"
