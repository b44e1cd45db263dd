styled = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\" \"mica@preset=nibble-paper [a]\""
colours = '#b0003a #e8799a #7a0026 #7a0026 #1f78b4'
patterns = '3 4 5 1 1'
point_types = '7 5 13 12 9'
dashes = '1 2 4 5 2'
legend_px = 42.0
legend = "set arrow 1000 from screen 156.5/width, screen 1 - 14.0/height to screen 182.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#b0003a' front; set label 1500 '' at screen 169.5/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#b0003a' front; set label 1000 'nibble' at screen 186.5/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 239.9/width, screen 1 - 14.0/height to screen 265.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#e8799a' front; set label 1501 '' at screen 252.9/width, screen 1 - 14.0/height point pt 5 ps 1 lc rgb '#e8799a' front; set label 1001 'nibble@update=in-place' at screen 269.9/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 430.5/width, screen 1 - 14.0/height to screen 456.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#7a0026' front; set label 1502 '' at screen 443.5/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#7a0026' front; set label 1002 'nibble@preset=paper [b]' at screen 460.5/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 624.9/width, screen 1 - 14.0/height to screen 650.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#7a0026' front; set label 1503 '' at screen 637.9/width, screen 1 - 14.0/height point pt 12 ps 1 lc rgb '#7a0026' front; set label 1003 'nibble@preset=paper@update=in-place [b]' at screen 654.9/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 383.0/width, screen 1 - 30.0/height to screen 409.0/width, screen 1 - 30.0/height nohead lw 1.6 dt 2 lc rgb '#1f78b4' front; set label 1504 '' at screen 396.0/width, screen 1 - 30.0/height point pt 9 ps 1 lc rgb '#1f78b4' front; set label 1004 'mica@preset=nibble-paper [a]' at screen 413.0/width, screen 1 - 30.0/height left front; set label 1505 '' at screen 622.2/width, screen 1 - 30.0/height point pt 2 ps 1 lc rgb '#222222' front; set label 1005 'refuses' at screen 639.2/width, screen 1 - 30.0/height left front"
direct = 0; names_px = 231.5
all_names = "\"nibble\" \"nibble@update=in-place\" \"nibble@preset=paper [b]\" \"nibble@preset=paper@update=in-place [b]\" \"mica@preset=nibble-paper [a]\""
# The figure utilisation, which lines.gp draws.

name = "utilisation"
reference = "roofline"
load "lines.gp"
