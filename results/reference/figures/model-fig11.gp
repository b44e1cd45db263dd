styled = "\"nibble\" \"nibble@preset=paper\""
colours = '#b0003a #7a0026'
patterns = '3 5'
point_types = '7 13'
dashes = '1 4'
legend_px = 26.0
legend = "set label 1500 '' at screen 487.0/width, screen 1 - 14.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1000 'measured here' at screen 504.0/width, screen 1 - 14.0/height left front"
direct = 1; names_px = 115.1
all_names = "\"nibble\" \"nibble@preset=paper\""
# The figure model-fig11, which lines.gp draws.

name = "model-fig11"
predicted = 1
load "lines.gp"
