# The figure allocator-bloat: panels of bars, each of which bars.gp draws.

name = "allocator-bloat"
width = 1000; height = 642
styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '7 6 1 0 1 4 2 2'
point_types = '3 15 13 14 12 8 1 10'
dashes = '1 2 5 4 1 2 4 5'
load "style.gp"
has_panel = 1; has_measure = 0; marks = 1
lower = "-min"; upper = "-max"
set multiplot

# default
set label 900 "default" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 107.0/width, screen 1 - 41.0/height to screen 133.0/width, screen 1 - 31.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 137.0/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 203.5/width, screen 1 - 41.0/height to screen 229.5/width, screen 1 - 31.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 233.5/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 299.4/width, screen 1 - 41.0/height to screen 325.4/width, screen 1 - 31.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 329.4/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 399.6/width, screen 1 - 41.0/height to screen 425.6/width, screen 1 - 31.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1003 'glibc' at screen 429.6/width, screen 1 - 36.0/height left front
set object 1004 rectangle from screen 474.9/width, screen 1 - 41.0/height to screen 500.9/width, screen 1 - 31.0/height front fc rgb '#56b4e9' fs pattern 1 border lc rgb '#222222'
set label 1004 'snmalloc' at screen 504.9/width, screen 1 - 36.0/height left front
set object 1005 rectangle from screen 574.2/width, screen 1 - 41.0/height to screen 600.2/width, screen 1 - 31.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1005 'scudo' at screen 604.2/width, screen 1 - 36.0/height left front
set object 1006 rectangle from screen 656.3/width, screen 1 - 41.0/height to screen 682.3/width, screen 1 - 31.0/height front fc rgb '#a58c00' fs pattern 2 border lc rgb '#222222'
set label 1006 'rpmalloc' at screen 686.3/width, screen 1 - 36.0/height left front
set label 1507 '' at screen 766.9/width, screen 1 - 36.0/height point pt 6 ps 1 lc rgb '#222222' front
set label 1007 'after idle' at screen 783.9/width, screen 1 - 36.0/height left front
set label 1508 '' at screen 867.0/width, screen 1 - 36.0/height point pt 8 ps 1 lc rgb '#222222' front
set label 1008 'after purge' at screen 884.0/width, screen 1 - 36.0/height left front
panel = "default"; measure = ""; value = "overhead"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 54.0/height; bottom = 1 - 269.0/height
load "bars.gp"

# tuned
set label 900 "tuned" at screen 528.0/width, screen 1 - 334.0/height center front
set object 1000 rectangle from screen 258.7/width, screen 1 - 358.0/height to screen 284.7/width, screen 1 - 348.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 288.7/width, screen 1 - 353.0/height left front
set object 1001 rectangle from screen 355.2/width, screen 1 - 358.0/height to screen 381.2/width, screen 1 - 348.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 385.2/width, screen 1 - 353.0/height left front
set object 1002 rectangle from screen 451.0/width, screen 1 - 358.0/height to screen 477.0/width, screen 1 - 348.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 481.0/width, screen 1 - 353.0/height left front
set object 1003 rectangle from screen 551.3/width, screen 1 - 358.0/height to screen 577.3/width, screen 1 - 348.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1003 'glibc' at screen 581.3/width, screen 1 - 353.0/height left front
set object 1004 rectangle from screen 626.6/width, screen 1 - 358.0/height to screen 652.6/width, screen 1 - 348.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1004 'scudo' at screen 656.6/width, screen 1 - 353.0/height left front
set object 1005 rectangle from screen 708.7/width, screen 1 - 358.0/height to screen 734.7/width, screen 1 - 348.0/height front fc rgb '#1f603b' fs pattern 2 border lc rgb '#222222'
set label 1005 'gperftools' at screen 738.7/width, screen 1 - 353.0/height left front
panel = "tuned"; measure = ""; value = "overhead"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"glibc\" \"scudo\" \"gperftools\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 371.0/height; bottom = 1 - 586.0/height
load "bars.gp"

unset multiplot
