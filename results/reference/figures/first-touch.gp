# The figure first-touch: panels of bars, each of which bars.gp draws.

name = "first-touch"
width = 1000; height = 560
styled = "\"nibble\""
colours = '#b0003a'
patterns = '3'
point_types = '7'
dashes = '1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
set object 1000 rectangle from screen 495.3/width, screen 1 - 25.0/height to screen 521.3/width, screen 1 - 15.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble' at screen 525.3/width, screen 1 - 20.0/height left front
panel = ""; measure = "throughput, Mops/s"; value = "value"
series = "\"nibble\""
labels = "\"resident before the clock\""
y_title = "throughput, Mops/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 38.0/height; bottom = 1 - 253.0/height
load "bars.gp"

# 
panel = ""; measure = "system time ÷ CPU time, %"; value = "value"
series = "\"nibble\""
labels = "\"resident before the clock\""
y_title = "system time ÷ CPU time, %"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 304.0/height; bottom = 1 - 519.0/height
load "bars.gp"

unset multiplot
