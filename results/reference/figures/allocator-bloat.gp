# The figure allocator-bloat: panels of bars, each of which bars.gp draws.

name = "allocator-bloat"
width = 1000; height = 1256
styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #8da9c4 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '7 6 1 5 0 1 4 2 2'
point_types = '3 15 13 7 14 12 8 1 10'
dashes = '1 2 5 5 4 1 2 4 5'
load "style.gp"
has_panel = 1; has_measure = 0; marks = 1
lower = "-min"; upper = "-max"
set multiplot

# default (1 of 2)
set label 900 "default (1 of 2)" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 192.7/width, screen 1 - 41.0/height to screen 218.7/width, screen 1 - 31.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 222.7/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 289.2/width, screen 1 - 41.0/height to screen 315.2/width, screen 1 - 31.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 319.2/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 385.1/width, screen 1 - 41.0/height to screen 411.1/width, screen 1 - 31.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 415.1/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 485.3/width, screen 1 - 41.0/height to screen 511.3/width, screen 1 - 31.0/height front fc rgb '#8da9c4' fs pattern 5 border lc rgb '#222222'
set label 1003 'mimalloc2' at screen 515.3/width, screen 1 - 36.0/height left front
set object 1004 rectangle from screen 592.9/width, screen 1 - 41.0/height to screen 618.9/width, screen 1 - 31.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1004 'glibc' at screen 622.9/width, screen 1 - 36.0/height left front
set label 1505 '' at screen 681.2/width, screen 1 - 36.0/height point pt 6 ps 1 lc rgb '#222222' front
set label 1005 'after idle' at screen 698.2/width, screen 1 - 36.0/height left front
set label 1506 '' at screen 781.3/width, screen 1 - 36.0/height point pt 8 ps 1 lc rgb '#222222' front
set label 1006 'after purge' at screen 798.3/width, screen 1 - 36.0/height left front
panel = "default (1 of 2)"; measure = ""; value = "overhead"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 54.0/height; bottom = 1 - 269.0/height
load "bars.gp"

# default (2 of 2)
set label 900 "default (2 of 2)" at screen 528.0/width, screen 1 - 334.0/height center front
set object 1000 rectangle from screen 344.2/width, screen 1 - 358.0/height to screen 370.2/width, screen 1 - 348.0/height front fc rgb '#56b4e9' fs pattern 1 border lc rgb '#222222'
set label 1000 'snmalloc' at screen 374.2/width, screen 1 - 353.0/height left front
set object 1001 rectangle from screen 443.5/width, screen 1 - 358.0/height to screen 469.5/width, screen 1 - 348.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1001 'scudo' at screen 473.5/width, screen 1 - 353.0/height left front
set object 1002 rectangle from screen 525.5/width, screen 1 - 358.0/height to screen 551.5/width, screen 1 - 348.0/height front fc rgb '#a58c00' fs pattern 2 border lc rgb '#222222'
set label 1002 'rpmalloc' at screen 555.5/width, screen 1 - 353.0/height left front
set object 1003 rectangle from screen 623.2/width, screen 1 - 358.0/height to screen 649.2/width, screen 1 - 348.0/height front fc rgb '#1f603b' fs pattern 2 border lc rgb '#222222'
set label 1003 'gperftools' at screen 653.2/width, screen 1 - 353.0/height left front
panel = "default (2 of 2)"; measure = ""; value = "overhead"
series = "\"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 371.0/height; bottom = 1 - 586.0/height
load "bars.gp"

# fast
set label 900 "fast" at screen 528.0/width, screen 1 - 651.0/height center front
set object 1000 rectangle from screen 204.9/width, screen 1 - 675.0/height to screen 230.9/width, screen 1 - 665.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 234.9/width, screen 1 - 670.0/height left front
set object 1001 rectangle from screen 301.4/width, screen 1 - 675.0/height to screen 327.4/width, screen 1 - 665.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 331.4/width, screen 1 - 670.0/height left front
set object 1002 rectangle from screen 397.3/width, screen 1 - 675.0/height to screen 423.3/width, screen 1 - 665.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 427.3/width, screen 1 - 670.0/height left front
set object 1003 rectangle from screen 497.5/width, screen 1 - 675.0/height to screen 523.5/width, screen 1 - 665.0/height front fc rgb '#8da9c4' fs pattern 5 border lc rgb '#222222'
set label 1003 'mimalloc2' at screen 527.5/width, screen 1 - 670.0/height left front
set object 1004 rectangle from screen 605.0/width, screen 1 - 675.0/height to screen 631.0/width, screen 1 - 665.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1004 'glibc' at screen 635.0/width, screen 1 - 670.0/height left front
set object 1005 rectangle from screen 680.4/width, screen 1 - 675.0/height to screen 706.4/width, screen 1 - 665.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1005 'scudo' at screen 710.4/width, screen 1 - 670.0/height left front
set object 1006 rectangle from screen 762.5/width, screen 1 - 675.0/height to screen 788.5/width, screen 1 - 665.0/height front fc rgb '#1f603b' fs pattern 2 border lc rgb '#222222'
set label 1006 'gperftools' at screen 792.5/width, screen 1 - 670.0/height left front
panel = "fast"; measure = ""; value = "overhead"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"scudo\" \"gperftools\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 688.0/height; bottom = 1 - 903.0/height
load "bars.gp"

# small
set label 900 "small" at screen 528.0/width, screen 1 - 968.0/height center front
panel = "small"; measure = ""; value = "overhead"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"scudo\" \"gperftools\""
labels = "\"P1\n60 → 70 B\" \"P2\n1000 → 1024 B\" \"P3\n1000 → 1030 B\" \"P4\n1 → 10 KiB\" \"P5\n10 → 100 KiB\" \"P6\n500 → 600 KiB\""
y_title = "resident ÷ live bytes"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 985.0/height; bottom = 1 - 1200.0/height
load "bars.gp"

unset multiplot
