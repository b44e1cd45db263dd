# The figure memory-protocols: panels of bars, each of which bars.gp draws.

name = "memory-protocols"
width = 1000; height = 1844
styled = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\" \"masstree:jemalloc\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #8c510a #d55e00 #eba91c #1b9e77'
patterns = '3 4 5 1 7 6 5 3'
point_types = '7 5 13 9 3 14 5 11'
dashes = '1 2 4 2 3 3 1 1'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# P1: 60 → 70 B
set label 900 "P1: 60 → 70 B" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 132.1/width, screen 1 - 41.0/height to screen 158.1/width, screen 1 - 31.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble' at screen 162.1/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 215.5/width, screen 1 - 41.0/height to screen 241.5/width, screen 1 - 31.0/height front fc rgb '#e8799a' fs pattern 4 border lc rgb '#222222'
set label 1001 'nibble@update=append' at screen 245.5/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 403.6/width, screen 1 - 41.0/height to screen 429.6/width, screen 1 - 31.0/height front fc rgb '#7a0026' fs pattern 5 border lc rgb '#222222'
set label 1002 'nibble@preset=paper' at screen 433.6/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 577.6/width, screen 1 - 41.0/height to screen 603.6/width, screen 1 - 31.0/height front fc rgb '#1f78b4' fs pattern 1 border lc rgb '#222222'
set label 1003 'mica@preset=nibble-paper' at screen 607.6/width, screen 1 - 36.0/height left front
set object 1004 rectangle from screen 783.9/width, screen 1 - 41.0/height to screen 809.9/width, screen 1 - 31.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1004 'heapstore:tcmalloc' at screen 813.9/width, screen 1 - 36.0/height left front
set object 1005 rectangle from screen 407.4/width, screen 1 - 57.0/height to screen 433.4/width, screen 1 - 47.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1005 'heapstore:jemalloc' at screen 437.4/width, screen 1 - 52.0/height left front
set object 1006 rectangle from screen 564.8/width, screen 1 - 57.0/height to screen 590.8/width, screen 1 - 47.0/height front fc rgb '#eba91c' fs pattern 5 border lc rgb '#222222'
set label 1006 'ramcloud' at screen 594.8/width, screen 1 - 52.0/height left front
panel = "P1: 60 → 70 B"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 70.0/height; bottom = 1 - 285.0/height
load "bars.gp"

# P2: 1000 → 1024 B
set label 900 "P2: 1000 → 1024 B" at screen 528.0/width, screen 1 - 335.0/height center front
set object 1000 rectangle from screen 96.5/width, screen 1 - 359.0/height to screen 122.5/width, screen 1 - 349.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble' at screen 126.5/width, screen 1 - 354.0/height left front
set object 1001 rectangle from screen 179.9/width, screen 1 - 359.0/height to screen 205.9/width, screen 1 - 349.0/height front fc rgb '#7a0026' fs pattern 5 border lc rgb '#222222'
set label 1001 'nibble@preset=paper' at screen 209.9/width, screen 1 - 354.0/height left front
set object 1002 rectangle from screen 354.0/width, screen 1 - 359.0/height to screen 380.0/width, screen 1 - 349.0/height front fc rgb '#1f78b4' fs pattern 1 border lc rgb '#222222'
set label 1002 'mica@preset=nibble-paper' at screen 384.0/width, screen 1 - 354.0/height left front
set object 1003 rectangle from screen 560.2/width, screen 1 - 359.0/height to screen 586.2/width, screen 1 - 349.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1003 'heapstore:tcmalloc' at screen 590.2/width, screen 1 - 354.0/height left front
set object 1004 rectangle from screen 718.3/width, screen 1 - 359.0/height to screen 744.3/width, screen 1 - 349.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1004 'heapstore:jemalloc' at screen 748.3/width, screen 1 - 354.0/height left front
set object 1005 rectangle from screen 875.6/width, screen 1 - 359.0/height to screen 901.6/width, screen 1 - 349.0/height front fc rgb '#eba91c' fs pattern 5 border lc rgb '#222222'
set label 1005 'ramcloud' at screen 905.6/width, screen 1 - 354.0/height left front
set object 1006 rectangle from screen 460.4/width, screen 1 - 375.0/height to screen 486.4/width, screen 1 - 365.0/height front fc rgb '#1b9e77' fs pattern 3 border lc rgb '#222222'
set label 1006 'masstree:jemalloc' at screen 490.4/width, screen 1 - 370.0/height left front
panel = "P2: 1000 → 1024 B"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\" \"masstree:jemalloc\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 388.0/height; bottom = 1 - 603.0/height
load "bars.gp"

# P3: 1000 → 1030 B
set label 900 "P3: 1000 → 1030 B" at screen 528.0/width, screen 1 - 653.0/height center front
panel = "P3: 1000 → 1030 B"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\" \"masstree:jemalloc\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 670.0/height; bottom = 1 - 885.0/height
load "bars.gp"

# P4: 1 → 10 KiB
set label 900 "P4: 1 → 10 KiB" at screen 528.0/width, screen 1 - 935.0/height center front
set object 1000 rectangle from screen 132.1/width, screen 1 - 959.0/height to screen 158.1/width, screen 1 - 949.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble' at screen 162.1/width, screen 1 - 954.0/height left front
set object 1001 rectangle from screen 215.5/width, screen 1 - 959.0/height to screen 241.5/width, screen 1 - 949.0/height front fc rgb '#e8799a' fs pattern 4 border lc rgb '#222222'
set label 1001 'nibble@update=append' at screen 245.5/width, screen 1 - 954.0/height left front
set object 1002 rectangle from screen 403.6/width, screen 1 - 959.0/height to screen 429.6/width, screen 1 - 949.0/height front fc rgb '#7a0026' fs pattern 5 border lc rgb '#222222'
set label 1002 'nibble@preset=paper' at screen 433.6/width, screen 1 - 954.0/height left front
set object 1003 rectangle from screen 577.6/width, screen 1 - 959.0/height to screen 603.6/width, screen 1 - 949.0/height front fc rgb '#1f78b4' fs pattern 1 border lc rgb '#222222'
set label 1003 'mica@preset=nibble-paper' at screen 607.6/width, screen 1 - 954.0/height left front
set object 1004 rectangle from screen 783.9/width, screen 1 - 959.0/height to screen 809.9/width, screen 1 - 949.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1004 'heapstore:tcmalloc' at screen 813.9/width, screen 1 - 954.0/height left front
set object 1005 rectangle from screen 407.4/width, screen 1 - 975.0/height to screen 433.4/width, screen 1 - 965.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1005 'heapstore:jemalloc' at screen 437.4/width, screen 1 - 970.0/height left front
set object 1006 rectangle from screen 564.8/width, screen 1 - 975.0/height to screen 590.8/width, screen 1 - 965.0/height front fc rgb '#eba91c' fs pattern 5 border lc rgb '#222222'
set label 1006 'ramcloud' at screen 594.8/width, screen 1 - 970.0/height left front
panel = "P4: 1 → 10 KiB"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 988.0/height; bottom = 1 - 1203.0/height
load "bars.gp"

# P5: 10 → 100 KiB
set label 900 "P5: 10 → 100 KiB" at screen 528.0/width, screen 1 - 1253.0/height center front
set object 1000 rectangle from screen 96.5/width, screen 1 - 1277.0/height to screen 122.5/width, screen 1 - 1267.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble' at screen 126.5/width, screen 1 - 1272.0/height left front
set object 1001 rectangle from screen 179.9/width, screen 1 - 1277.0/height to screen 205.9/width, screen 1 - 1267.0/height front fc rgb '#7a0026' fs pattern 5 border lc rgb '#222222'
set label 1001 'nibble@preset=paper' at screen 209.9/width, screen 1 - 1272.0/height left front
set object 1002 rectangle from screen 354.0/width, screen 1 - 1277.0/height to screen 380.0/width, screen 1 - 1267.0/height front fc rgb '#1f78b4' fs pattern 1 border lc rgb '#222222'
set label 1002 'mica@preset=nibble-paper' at screen 384.0/width, screen 1 - 1272.0/height left front
set object 1003 rectangle from screen 560.2/width, screen 1 - 1277.0/height to screen 586.2/width, screen 1 - 1267.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1003 'heapstore:tcmalloc' at screen 590.2/width, screen 1 - 1272.0/height left front
set object 1004 rectangle from screen 718.3/width, screen 1 - 1277.0/height to screen 744.3/width, screen 1 - 1267.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1004 'heapstore:jemalloc' at screen 748.3/width, screen 1 - 1272.0/height left front
set object 1005 rectangle from screen 875.6/width, screen 1 - 1277.0/height to screen 901.6/width, screen 1 - 1267.0/height front fc rgb '#eba91c' fs pattern 5 border lc rgb '#222222'
set label 1005 'ramcloud' at screen 905.6/width, screen 1 - 1272.0/height left front
set object 1006 rectangle from screen 460.4/width, screen 1 - 1293.0/height to screen 486.4/width, screen 1 - 1283.0/height front fc rgb '#1b9e77' fs pattern 3 border lc rgb '#222222'
set label 1006 'masstree:jemalloc' at screen 490.4/width, screen 1 - 1288.0/height left front
panel = "P5: 10 → 100 KiB"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\" \"masstree:jemalloc\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 1306.0/height; bottom = 1 - 1521.0/height
load "bars.gp"

# P6: 500 → 600 KiB
set label 900 "P6: 500 → 600 KiB" at screen 528.0/width, screen 1 - 1571.0/height center front
panel = "P6: 500 → 600 KiB"; measure = "memory ÷ live value bytes"; value = "value"
series = "\"nibble\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud\" \"masstree:jemalloc\""
labels = "\"bounded\" \"ample, at once\" \"ample, after idle\" \"ample, after purge\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 1588.0/height; bottom = 1 - 1803.0/height
load "bars.gp"

unset multiplot
