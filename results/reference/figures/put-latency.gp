styled = "\"nibble [a]\" \"nibble@update=append [a]\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\""
colours = '#b0003a #e8799a #7a0026 #7a0026'
patterns = '3 4 5 1'
point_types = '7 5 13 12'
dashes = '1 2 4 5'
legend_px = 26.0
legend = "set arrow 1000 from screen 92.0/width, screen 1 - 14.0/height to screen 118.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 105.0/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble [a]' at screen 122.0/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 195.3/width, screen 1 - 14.0/height to screen 221.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 208.3/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=append [a]' at screen 225.3/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 403.3/width, screen 1 - 14.0/height to screen 429.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1502 '' at screen 416.3/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper [b]' at screen 433.3/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 597.7/width, screen 1 - 14.0/height to screen 623.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#7a0026' front; set label 1503 '' at screen 610.7/width, screen 1 - 14.0/height point pt 12 ps 1 lc rgb '#7a0026' front; set label 1003 'nibble@preset=paper@update=in-place [b]' at screen 627.7/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 899.3/width, screen 1 - 14.0/height to screen 925.3/width, screen 1 - 14.0/height nohead lw 1 dt 1 lc rgb '#555555' front; set label 1004 'roofline' at screen 929.3/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 231.5
all_names = "\"nibble [a]\" \"nibble@update=append [a]\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\""
# The figure put-latency, which lines.gp draws.

name = "put-latency"
reference = "roofline"
load "lines.gp"
