styled = "\"nibble@update=append\" \"nibble@preset=paper\""
colours = '#e8799a #7a0026'
patterns = '4 5'
point_types = '5 13'
dashes = '2 4'
legend_px = 26.0
legend = "set label 1500 '' at screen 487.0/width, screen 1 - 14.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1000 'measured here' at screen 504.0/width, screen 1 - 14.0/height left front"
direct = 1; names_px = 127.9
all_names = "\"nibble@update=append\" \"nibble@preset=paper\""
# The figure model-fig11, which lines.gp draws.

name = "model-fig11"
predicted = 1
load "lines.gp"
