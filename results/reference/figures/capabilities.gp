# The figure capabilities: panels of bars, each of which bars.gp draws.

name = "capabilities"
width = 1000; height = 1488
styled = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #eba91c #74430a #1b9e77'
patterns = '3 4 5 1 5 2 3'
point_types = '7 5 13 9 5 4 11'
dashes = '1 2 4 2 1 2 1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
panel = ""; measure = "2 threads ÷ 1, GET"; value = "value"
series = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
labels = "\"nibble [f]\" \"nibble\n@update=append\n[f]\" \"nibble\n@preset=paper\n[g]\" \"mica\n@preset=nibble-paper\n[e]\" \"ramcloud [h]\" \"ramcloud\n@instances=2 [i]\" \"masstree:jemalloc\n[c]\""
y_title = "2 threads ÷ 1, GET"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 18.0/height; bottom = 1 - 233.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, update"; value = "value"
series = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
labels = "\"nibble [f]\" \"nibble\n@update=append\n[f]\" \"nibble\n@preset=paper\n[g]\" \"mica\n@preset=nibble-paper\n[e]\" \"ramcloud [h]\" \"ramcloud\n@instances=2 [i]\" \"masstree:jemalloc\n[c]\""
y_title = "2 threads ÷ 1, update"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 314.0/height; bottom = 1 - 529.0/height
load "bars.gp"

# 
panel = ""; measure = "2 threads ÷ 1, insert"; value = "value"
series = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
labels = "\"nibble [f]\" \"nibble\n@update=append\n[f]\" \"nibble\n@preset=paper\n[g]\" \"mica\n@preset=nibble-paper\n[e]\" \"ramcloud [h]\" \"ramcloud\n@instances=2 [i]\" \"masstree:jemalloc\n[c]\""
y_title = "2 threads ÷ 1, insert"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 610.0/height; bottom = 1 - 825.0/height
load "bars.gp"

# 
panel = ""; measure = "at 90 % ÷ 20 % fill"; value = "value"
series = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
labels = "\"nibble [f]\" \"nibble\n@update=append\n[f]\" \"nibble\n@preset=paper\n[g]\" \"mica\n@preset=nibble-paper\n[e]\" \"ramcloud [h]\" \"ramcloud\n@instances=2 [i]\" \"masstree:jemalloc\n[c]\""
y_title = "at 90 % ÷ 20 % fill"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 906.0/height; bottom = 1 - 1121.0/height
load "bars.gp"

# 
panel = ""; measure = "memory ÷ live, P1–P6"; value = "value"
series = "\"nibble [f]\" \"nibble@update=append [f]\" \"nibble@preset=paper [g]\" \"mica@preset=nibble-paper [e]\" \"ramcloud [h]\" \"ramcloud@instances=2 [i]\" \"masstree:jemalloc [c]\""
labels = "\"nibble [f]\" \"nibble\n@update=append\n[f]\" \"nibble\n@preset=paper\n[g]\" \"mica\n@preset=nibble-paper\n[e]\" \"ramcloud [h]\" \"ramcloud\n@instances=2 [i]\" \"masstree:jemalloc\n[c]\""
y_title = "memory ÷ live, P1–P6"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 1202.0/height; bottom = 1 - 1417.0/height
load "bars.gp"

unset multiplot
