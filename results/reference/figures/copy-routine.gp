# The figure copy-routine: panels of bars, each of which bars.gp draws.

name = "copy-routine"
width = 1000; height = 612
styled = "\"memcpy\" \"memcpy, paper\" \"rep-movsb\" \"rep-movsb, paper\""
colours = '#0072b2 #e69f00 #00664a #cc79a7'
patterns = '3 5 4 1'
point_types = '7 5 9 11'
dashes = '1 2 4 5'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# end to end, by size of the values
set label 900 "end to end, by size of the values" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 288.3/width, screen 1 - 41.0/height to screen 314.3/width, screen 1 - 31.0/height front fc rgb '#0072b2' fs pattern 3 border lc rgb '#222222'
set label 1000 'memcpy' at screen 318.3/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 386.2/width, screen 1 - 41.0/height to screen 412.2/width, screen 1 - 31.0/height front fc rgb '#e69f00' fs pattern 5 border lc rgb '#222222'
set label 1001 'memcpy, paper' at screen 416.2/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 524.8/width, screen 1 - 41.0/height to screen 550.8/width, screen 1 - 31.0/height front fc rgb '#00664a' fs pattern 4 border lc rgb '#222222'
set label 1002 'rep-movsb' at screen 554.8/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 634.9/width, screen 1 - 41.0/height to screen 660.9/width, screen 1 - 31.0/height front fc rgb '#cc79a7' fs pattern 1 border lc rgb '#222222'
set label 1003 'rep-movsb, paper' at screen 664.9/width, screen 1 - 36.0/height left front
panel = "end to end, by size of the values"; measure = "throughput, Mops/s"; value = "value"
series = "\"memcpy\" \"memcpy, paper\" \"rep-movsb\" \"rep-movsb, paper\""
labels = "\"1KiB\" \"4KiB\""
y_title = "throughput, Mops/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 54.0/height; bottom = 1 - 269.0/height
load "bars.gp"

# alone, from random places to consecutive ones, by size of the copies
set label 900 "alone, from random places to consecutive ones, by size of the copies" at screen 528.0/width, screen 1 - 319.0/height center front
set object 1000 rectangle from screen 433.0/width, screen 1 - 343.0/height to screen 459.0/width, screen 1 - 333.0/height front fc rgb '#0072b2' fs pattern 3 border lc rgb '#222222'
set label 1000 'memcpy' at screen 463.0/width, screen 1 - 338.0/height left front
set object 1001 rectangle from screen 530.9/width, screen 1 - 343.0/height to screen 556.9/width, screen 1 - 333.0/height front fc rgb '#00664a' fs pattern 4 border lc rgb '#222222'
set label 1001 'rep-movsb' at screen 560.9/width, screen 1 - 338.0/height left front
panel = "alone, from random places to consecutive ones, by size of the copies"; measure = "copied, GB/s"; value = "value"
series = "\"memcpy\" \"rep-movsb\""
labels = "\"64 B\" \"256 B\" \"1KiB\" \"2KiB\" \"4KiB\" \"16KiB\""
y_title = "copied, GB/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 356.0/height; bottom = 1 - 571.0/height
load "bars.gp"

unset multiplot
