# The figure first-touch: panels of bars, each of which bars.gp draws.

name = "first-touch"
width = 1000; height = 590
styled = "\"nibble [a]\" \"hashmap\""
colours = '#b0003a #333333'
patterns = '3 4'
point_types = '7 1'
dashes = '1 1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
set label 901 "resident before the clock" at screen 528.0/width, screen 1 - 270.0/height center front
panel = ""; measure = "throughput, Mops/s"; value = "value"
series = "\"nibble [a]\" \"hashmap\""
labels = "\"nibble [a]\" \"hashmap\""
y_title = "throughput, Mops/s"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 18.0/height; bottom = 1 - 233.0/height
load "bars.gp"

# 
set label 901 "resident before the clock" at screen 528.0/width, screen 1 - 561.0/height center front
panel = ""; measure = "system time ÷ CPU time, %"; value = "value"
series = "\"nibble [a]\" \"hashmap\""
labels = "\"nibble [a]\" \"hashmap\""
y_title = "system time ÷ CPU time, %"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 309.0/height; bottom = 1 - 524.0/height
load "bars.gp"

unset multiplot
