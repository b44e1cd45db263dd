# The figure store-bloat: panels of bars, each of which bars.gp draws.

name = "store-bloat"
width = 1000; height = 975
styled = "\"nibble all-in\" \"nibble log-only\" \"nibble@preset=paper all-in\" \"nibble@preset=paper log-only\" \"mica@preset=nibble-paper all-in\" \"mica@preset=nibble-paper log-only\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud all-in\" \"ramcloud log-only\" \"masstree:jemalloc\" \"hashmap\" \"heapstore:mimalloc\" \"heapstore:glibc\" \"redis@servers=2\""
colours = '#b0003a #e75c8e #7a0026 #f4b6c6 #1f78b4 #9ecae1 #8c510a #d55e00 #eba91c #f5c264 #1b9e77 #333333 #003b73 #4d4d4d #d34d2e'
patterns = '3 2 5 3 1 2 7 6 5 6 3 4 1 0 5'
point_types = '7 4 13 12 9 10 3 14 5 4 11 1 12 15 10'
dashes = '1 3 4 4 2 1 3 3 1 1 1 1 3 3 2'
load "style.gp"
has_panel = 1; has_measure = 0; marks = 1
lower = "-min"; upper = "-max"
set multiplot

# stores (1 of 3)
set label 900 "stores (1 of 3)" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 77.7/width, screen 1 - 41.0/height to screen 103.7/width, screen 1 - 31.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble all-in' at screen 107.7/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 193.4/width, screen 1 - 41.0/height to screen 219.4/width, screen 1 - 31.0/height front fc rgb '#e75c8e' fs pattern 2 border lc rgb '#222222'
set label 1001 'nibble log-only' at screen 223.4/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 327.1/width, screen 1 - 41.0/height to screen 353.1/width, screen 1 - 31.0/height front fc rgb '#7a0026' fs pattern 5 border lc rgb '#222222'
set label 1002 'nibble@preset=paper all-in' at screen 357.1/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 533.5/width, screen 1 - 41.0/height to screen 559.5/width, screen 1 - 31.0/height front fc rgb '#f4b6c6' fs pattern 3 border lc rgb '#222222'
set label 1003 'nibble@preset=paper log-only' at screen 563.5/width, screen 1 - 36.0/height left front
set object 1004 rectangle from screen 757.8/width, screen 1 - 41.0/height to screen 783.8/width, screen 1 - 31.0/height front fc rgb '#1f78b4' fs pattern 1 border lc rgb '#222222'
set label 1004 'mica@preset=nibble-paper all-in' at screen 787.8/width, screen 1 - 36.0/height left front
set object 1005 rectangle from screen 302.2/width, screen 1 - 57.0/height to screen 328.2/width, screen 1 - 47.0/height front fc rgb '#9ecae1' fs pattern 2 border lc rgb '#222222'
set label 1005 'mica@preset=nibble-paper log-only' at screen 332.2/width, screen 1 - 52.0/height left front
set label 1506 '' at screen 571.7/width, screen 1 - 52.0/height point pt 6 ps 1 lc rgb '#222222' front
set label 1006 'after idle' at screen 588.7/width, screen 1 - 52.0/height left front
set label 1507 '' at screen 671.8/width, screen 1 - 52.0/height point pt 8 ps 1 lc rgb '#222222' front
set label 1007 'after purge' at screen 688.8/width, screen 1 - 52.0/height left front
panel = "stores (1 of 3)"; measure = ""; value = "overhead"
series = "\"nibble all-in\" \"nibble log-only\" \"nibble@preset=paper all-in\" \"nibble@preset=paper log-only\" \"mica@preset=nibble-paper all-in\" \"mica@preset=nibble-paper log-only\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 70.0/height; bottom = 1 - 285.0/height
load "bars.gp"

# stores (2 of 3)
set label 900 "stores (2 of 3)" at screen 528.0/width, screen 1 - 350.0/height center front
set object 1000 rectangle from screen 101.7/width, screen 1 - 374.0/height to screen 127.7/width, screen 1 - 364.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble all-in' at screen 131.7/width, screen 1 - 369.0/height left front
set object 1001 rectangle from screen 217.4/width, screen 1 - 374.0/height to screen 243.4/width, screen 1 - 364.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1001 'heapstore:tcmalloc' at screen 247.4/width, screen 1 - 369.0/height left front
set object 1002 rectangle from screen 375.5/width, screen 1 - 374.0/height to screen 401.5/width, screen 1 - 364.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1002 'heapstore:jemalloc' at screen 405.5/width, screen 1 - 369.0/height left front
set object 1003 rectangle from screen 532.9/width, screen 1 - 374.0/height to screen 558.9/width, screen 1 - 364.0/height front fc rgb '#eba91c' fs pattern 5 border lc rgb '#222222'
set label 1003 'ramcloud all-in' at screen 562.9/width, screen 1 - 369.0/height left front
set object 1004 rectangle from screen 667.0/width, screen 1 - 374.0/height to screen 693.0/width, screen 1 - 364.0/height front fc rgb '#f5c264' fs pattern 6 border lc rgb '#222222'
set label 1004 'ramcloud log-only' at screen 697.0/width, screen 1 - 369.0/height left front
set object 1005 rectangle from screen 819.1/width, screen 1 - 374.0/height to screen 845.1/width, screen 1 - 364.0/height front fc rgb '#1b9e77' fs pattern 3 border lc rgb '#222222'
set label 1005 'masstree:jemalloc' at screen 849.1/width, screen 1 - 369.0/height left front
panel = "stores (2 of 3)"; measure = ""; value = "overhead"
series = "\"nibble all-in\" \"heapstore:tcmalloc\" \"heapstore:jemalloc\" \"ramcloud all-in\" \"ramcloud log-only\" \"masstree:jemalloc\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 387.0/height; bottom = 1 - 602.0/height
load "bars.gp"

# stores (3 of 3)
set label 900 "stores (3 of 3)" at screen 528.0/width, screen 1 - 667.0/height center front
set object 1000 rectangle from screen 205.7/width, screen 1 - 691.0/height to screen 231.7/width, screen 1 - 681.0/height front fc rgb '#b0003a' fs pattern 3 border lc rgb '#222222'
set label 1000 'nibble all-in' at screen 235.7/width, screen 1 - 686.0/height left front
set object 1001 rectangle from screen 321.4/width, screen 1 - 691.0/height to screen 347.4/width, screen 1 - 681.0/height front fc rgb '#333333' fs pattern 4 border lc rgb '#222222'
set label 1001 'hashmap' at screen 351.4/width, screen 1 - 686.0/height left front
set object 1002 rectangle from screen 422.8/width, screen 1 - 691.0/height to screen 448.8/width, screen 1 - 681.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'heapstore:mimalloc' at screen 452.8/width, screen 1 - 686.0/height left front
set object 1003 rectangle from screen 584.5/width, screen 1 - 691.0/height to screen 610.5/width, screen 1 - 681.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1003 'heapstore:glibc' at screen 614.5/width, screen 1 - 686.0/height left front
set object 1004 rectangle from screen 721.4/width, screen 1 - 691.0/height to screen 747.4/width, screen 1 - 681.0/height front fc rgb '#d34d2e' fs pattern 5 border lc rgb '#222222'
set label 1004 'redis@servers=2' at screen 751.4/width, screen 1 - 686.0/height left front
panel = "stores (3 of 3)"; measure = ""; value = "overhead"
series = "\"nibble all-in\" \"hashmap\" \"heapstore:mimalloc\" \"heapstore:glibc\" \"redis@servers=2\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "memory ÷ live value bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 704.0/height; bottom = 1 - 919.0/height
load "bars.gp"

unset multiplot
