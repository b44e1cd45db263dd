# The figure capabilities: panels of bars, each of which bars.gp draws.

name = "capabilities"
width = 1000; height = 1032
styled = "\"masstree:jemalloc\""
colours = '#1b9e77'
patterns = '3'
point_types = '11'
dashes = '1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
set object 1000 rectangle from screen 460.4/width, screen 1 - 25.0/height to screen 486.4/width, screen 1 - 15.0/height front fc rgb '#1b9e77' fs pattern 3 border lc rgb '#222222'
set label 1000 'masstree:jemalloc' at screen 490.4/width, screen 1 - 20.0/height left front
panel = ""; measure = "2 threads ÷ 1, GET"; value = "value"
series = "\"masstree:jemalloc\""
labels = "\"\""
y_title = "2 threads ÷ 1, GET"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 38.0/height; bottom = 1 - 253.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, update"; value = "value"
series = "\"masstree:jemalloc\""
labels = "\"\""
y_title = "2 threads ÷ 1, update"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 289.0/height; bottom = 1 - 504.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, insert"; value = "value"
series = "\"masstree:jemalloc\""
labels = "\"\""
y_title = "2 threads ÷ 1, insert"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 540.0/height; bottom = 1 - 755.0/height
load "bars.gp"

# 
panel = ""; measure = "memory ÷ live, P1–P6"; value = "value"
series = "\"masstree:jemalloc\""
labels = "\"\""
y_title = "memory ÷ live, P1–P6"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 791.0/height; bottom = 1 - 1006.0/height
load "bars.gp"

unset multiplot
