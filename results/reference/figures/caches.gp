# The figure caches: panels of bars, each of which bars.gp draws.

name = "caches"
width = 1000; height = 929
styled = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
colours = '#b0003a #9bd39e #a6cee3 #00664a'
patterns = '3 2 4 6'
point_types = '7 0 9 11'
dashes = '1 1 5 3'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 17.0/height center front
set label 901 "95 % GET, zipfian 0.99" at screen 528.0/width, screen 1 - 286.0/height center front
panel = "single operations"; measure = "throughput, Mops/s"; value = "value"
series = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
labels = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
y_title = "throughput, Mops/s"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 34.0/height; bottom = 1 - 249.0/height
load "bars.gp"

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 324.0/height center front
set label 901 "95 % GET, zipfian 0.99" at screen 528.0/width, screen 1 - 593.0/height center front
panel = "single operations"; measure = "resident ÷ live value bytes"; value = "value"
series = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
labels = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
y_title = "resident ÷ live value bytes"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 341.0/height; bottom = 1 - 556.0/height
load "bars.gp"

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 631.0/height center front
set label 901 "95 % GET, zipfian 0.99" at screen 528.0/width, screen 1 - 900.0/height center front
panel = "single operations"; measure = "GETs that hit, %"; value = "value"
series = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
labels = "\"nibble [c]\" \"memcached [a]\" \"mica-cache [b]\" \"segcache\""
y_title = "GETs that hit, %"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 648.0/height; bottom = 1 - 863.0/height
load "bars.gp"

unset multiplot
