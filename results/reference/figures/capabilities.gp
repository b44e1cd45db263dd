# The figure capabilities: panels of bars, each of which bars.gp draws.

name = "capabilities"
width = 1000; height = 1488
styled = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
colours = '#b0003a #7a0026 #1f78b4 #1b9e77 #eba91c #d34d2e'
patterns = '3 5 1 3 5 5'
point_types = '7 13 9 11 5 10'
dashes = '1 4 2 1 4 4'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
panel = ""; measure = "2 threads ÷ 1, GET"; value = "value"
series = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
labels = "\"nibble [d]\" \"nibble@preset=paper\n[e]\" \"mica\n@preset=nibble-paper\n[c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
y_title = "2 threads ÷ 1, GET"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 18.0/height; bottom = 1 - 233.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, update"; value = "value"
series = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
labels = "\"nibble [d]\" \"nibble@preset=paper\n[e]\" \"mica\n@preset=nibble-paper\n[c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
y_title = "2 threads ÷ 1, update"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 314.0/height; bottom = 1 - 529.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, insert"; value = "value"
series = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
labels = "\"nibble [d]\" \"nibble@preset=paper\n[e]\" \"mica\n@preset=nibble-paper\n[c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
y_title = "2 threads ÷ 1, insert"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 610.0/height; bottom = 1 - 825.0/height
load "bars.gp"

# 
panel = ""; measure = "at 90 % ÷ 20 % fill"; value = "value"
series = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
labels = "\"nibble [d]\" \"nibble@preset=paper\n[e]\" \"mica\n@preset=nibble-paper\n[c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
y_title = "at 90 % ÷ 20 % fill"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 906.0/height; bottom = 1 - 1121.0/height
load "bars.gp"

# 
panel = ""; measure = "memory ÷ live, P1–P6"; value = "value"
series = "\"nibble [d]\" \"nibble@preset=paper [e]\" \"mica@preset=nibble-paper [c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
labels = "\"nibble [d]\" \"nibble@preset=paper\n[e]\" \"mica\n@preset=nibble-paper\n[c]\" \"masstree:jemalloc [b]\" \"leveldb [a]\" \"redis@servers=1 [f]\""
y_title = "memory ÷ live, P1–P6"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 1202.0/height; bottom = 1 - 1417.0/height
load "bars.gp"

unset multiplot
