# The figure servers: panels of bars, each of which bars.gp draws.

name = "servers"
width = 1000; height = 592
styled = "\"redis@servers=2\""
colours = '#d34d2e'
patterns = '5'
point_types = '10'
dashes = '2'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 463.6/width, screen 1 - 41.0/height to screen 489.6/width, screen 1 - 31.0/height front fc rgb '#d34d2e' fs pattern 5 border lc rgb '#222222'
set label 1000 'redis@servers=2' at screen 493.6/width, screen 1 - 36.0/height left front
panel = "single operations"; measure = "throughput, Mops/s"; value = "value"
series = "\"redis@servers=2\""
labels = "\"50 %% GET, uniform\""
y_title = "throughput, Mops/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 54.0/height; bottom = 1 - 269.0/height
load "bars.gp"

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 319.0/height center front
panel = "single operations"; measure = "resident ÷ live value bytes"; value = "value"
series = "\"redis@servers=2\""
labels = "\"50 %% GET, uniform\""
y_title = "resident ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 336.0/height; bottom = 1 - 551.0/height
load "bars.gp"

unset multiplot
