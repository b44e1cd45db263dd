styled = "\"nibble [a]\" \"nibble@update=append [a]\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\""
colours = '#b0003a #e8799a #7a0026 #7a0026'
patterns = '3 4 5 1'
point_types = '7 5 13 12'
dashes = '1 2 4 5'
legend_px = 26.0
legend = "set arrow 1000 from screen 137.9/width, screen 1 - 14.0/height to screen 163.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 150.9/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble [a]' at screen 167.9/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 241.2/width, screen 1 - 14.0/height to screen 267.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 254.2/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=append [a]' at screen 271.2/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 449.2/width, screen 1 - 14.0/height to screen 475.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1502 '' at screen 462.2/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper [b]' at screen 479.2/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 643.5/width, screen 1 - 14.0/height to screen 669.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#7a0026' front; set label 1503 '' at screen 656.5/width, screen 1 - 14.0/height point pt 12 ps 1 lc rgb '#7a0026' front; set label 1003 'nibble@preset=paper@update=in-place [b]' at screen 673.5/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 231.5
all_names = "\"nibble [a]\" \"nibble@update=append [a]\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\""
# The figure put-latency, which lines.gp draws.

name = "put-latency"
reference = "roofline"
load "lines.gp"
