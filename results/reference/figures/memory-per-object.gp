# The figure memory-per-object: panels of bars, each of which bars.gp draws.

name = "memory-per-object"
width = 1000; height = 632
styled = "\"nibble [m]\" \"nibble@update=append [m]\" \"nibble@preset=paper [n]\" \"mica@preset=nibble-paper [d]\" \"mica [d]\" \"heapstore:jemalloc\" \"ramcloud [o]\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #5b9bc8 #d55e00 #eba91c'
patterns = '3 4 5 1 7 6 5'
point_types = '7 5 13 9 9 14 5'
dashes = '1 2 4 2 1 3 1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 64 B
set label 900 "64 B" at screen 528.0/width, screen 1 - 17.0/height center front
panel = "64 B"; measure = "bytes beside each value"; value = "value"
series = "\"nibble [m]\" \"nibble@update=append [m]\" \"nibble@preset=paper [n]\" \"mica@preset=nibble-paper [d]\" \"mica [d]\" \"heapstore:jemalloc\" \"ramcloud [o]\""
labels = "\"nibble [m]\" \"nibble\n@update=append\n[m]\" \"nibble\n@preset=paper\n[n]\" \"mica\n@preset=nibble-paper\n[d]\" \"mica [d]\" \"heapstore:jemalloc\" \"ramcloud [o]\""
y_title = "bytes beside each value"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 34.0/height; bottom = 1 - 249.0/height
load "bars.gp"

# 1KiB
set label 900 "1KiB" at screen 528.0/width, screen 1 - 329.0/height center front
panel = "1KiB"; measure = "bytes beside each value"; value = "value"
series = "\"nibble [m]\" \"nibble@update=append [m]\" \"nibble@preset=paper [n]\" \"mica@preset=nibble-paper [d]\" \"mica [d]\" \"heapstore:jemalloc\" \"ramcloud [o]\""
labels = "\"nibble [m]\" \"nibble\n@update=append\n[m]\" \"nibble\n@preset=paper\n[n]\" \"mica\n@preset=nibble-paper\n[d]\" \"mica [d]\" \"heapstore:jemalloc\" \"ramcloud [o]\""
y_title = "bytes beside each value"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 346.0/height; bottom = 1 - 561.0/height
load "bars.gp"

unset multiplot
