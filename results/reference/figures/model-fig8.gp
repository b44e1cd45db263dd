styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 26.0
legend = "set label 1500 '' at screen 487.0/width, screen 1 - 14.0/height point pt 6 ps 1 lc rgb '#222222' front; set label 1000 'measured here' at screen 504.0/width, screen 1 - 14.0/height left front"
direct = 1; names_px = 0.0
all_names = ""
# The figure model-fig8, which lines.gp draws.

name = "model-fig8"
own_axes = 1
predicted = 1
columns = 2
load "lines.gp"
