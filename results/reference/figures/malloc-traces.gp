# The figure malloc-traces: panels of bars, each of which bars.gp draws.

name = "malloc-traces"
width = 1000; height = 1276
styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #8da9c4 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '7 6 1 5 0 1 4 2 2'
point_types = '3 15 13 7 14 12 8 1 10'
dashes = '1 2 5 5 4 1 2 4 5'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 1 of 2
set label 900 "1 of 2" at screen 528.0/width, screen 1 - 17.0/height center front
set object 1000 rectangle from screen 299.2/width, screen 1 - 41.0/height to screen 325.2/width, screen 1 - 31.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 329.2/width, screen 1 - 36.0/height left front
set object 1001 rectangle from screen 395.8/width, screen 1 - 41.0/height to screen 421.8/width, screen 1 - 31.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 425.8/width, screen 1 - 36.0/height left front
set object 1002 rectangle from screen 491.6/width, screen 1 - 41.0/height to screen 517.6/width, screen 1 - 31.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 521.6/width, screen 1 - 36.0/height left front
set object 1003 rectangle from screen 591.8/width, screen 1 - 41.0/height to screen 617.8/width, screen 1 - 31.0/height front fc rgb '#8da9c4' fs pattern 5 border lc rgb '#222222'
set label 1003 'mimalloc2' at screen 621.8/width, screen 1 - 36.0/height left front
set object 1004 rectangle from screen 699.4/width, screen 1 - 41.0/height to screen 725.4/width, screen 1 - 31.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1004 'glibc' at screen 729.4/width, screen 1 - 36.0/height left front
panel = "1 of 2"; measure = "throughput, Mops/s"; value = "value"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\""
labels = "\"malloc-compiler\n1 thread\" \"malloc-database\n1 thread\" \"malloc-interpreter\n1 thread\""
y_title = "throughput, Mops/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 54.0/height; bottom = 1 - 269.0/height
load "bars.gp"

# 2 of 2
set label 900 "2 of 2" at screen 528.0/width, screen 1 - 334.0/height center front
set object 1000 rectangle from screen 344.2/width, screen 1 - 358.0/height to screen 370.2/width, screen 1 - 348.0/height front fc rgb '#56b4e9' fs pattern 1 border lc rgb '#222222'
set label 1000 'snmalloc' at screen 374.2/width, screen 1 - 353.0/height left front
set object 1001 rectangle from screen 443.5/width, screen 1 - 358.0/height to screen 469.5/width, screen 1 - 348.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1001 'scudo' at screen 473.5/width, screen 1 - 353.0/height left front
set object 1002 rectangle from screen 525.5/width, screen 1 - 358.0/height to screen 551.5/width, screen 1 - 348.0/height front fc rgb '#a58c00' fs pattern 2 border lc rgb '#222222'
set label 1002 'rpmalloc' at screen 555.5/width, screen 1 - 353.0/height left front
set object 1003 rectangle from screen 623.2/width, screen 1 - 358.0/height to screen 649.2/width, screen 1 - 348.0/height front fc rgb '#1f603b' fs pattern 2 border lc rgb '#222222'
set label 1003 'gperftools' at screen 653.2/width, screen 1 - 353.0/height left front
panel = "2 of 2"; measure = "throughput, Mops/s"; value = "value"
series = "\"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
labels = "\"malloc-compiler\n1 thread\" \"malloc-database\n1 thread\" \"malloc-interpreter\n1 thread\""
y_title = "throughput, Mops/s"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 371.0/height; bottom = 1 - 586.0/height
load "bars.gp"

# 1 of 2
set label 900 "1 of 2" at screen 528.0/width, screen 1 - 651.0/height center front
set object 1000 rectangle from screen 299.2/width, screen 1 - 675.0/height to screen 325.2/width, screen 1 - 665.0/height front fc rgb '#8c510a' fs pattern 7 border lc rgb '#222222'
set label 1000 'tcmalloc' at screen 329.2/width, screen 1 - 670.0/height left front
set object 1001 rectangle from screen 395.8/width, screen 1 - 675.0/height to screen 421.8/width, screen 1 - 665.0/height front fc rgb '#d55e00' fs pattern 6 border lc rgb '#222222'
set label 1001 'jemalloc' at screen 425.8/width, screen 1 - 670.0/height left front
set object 1002 rectangle from screen 491.6/width, screen 1 - 675.0/height to screen 517.6/width, screen 1 - 665.0/height front fc rgb '#003b73' fs pattern 1 border lc rgb '#222222'
set label 1002 'mimalloc' at screen 521.6/width, screen 1 - 670.0/height left front
set object 1003 rectangle from screen 591.8/width, screen 1 - 675.0/height to screen 617.8/width, screen 1 - 665.0/height front fc rgb '#8da9c4' fs pattern 5 border lc rgb '#222222'
set label 1003 'mimalloc2' at screen 621.8/width, screen 1 - 670.0/height left front
set object 1004 rectangle from screen 699.4/width, screen 1 - 675.0/height to screen 725.4/width, screen 1 - 665.0/height front fc rgb '#4d4d4d' fs pattern 0 border lc rgb '#222222'
set label 1004 'glibc' at screen 729.4/width, screen 1 - 670.0/height left front
panel = "1 of 2"; measure = "most resident ÷ most live"; value = "value"
series = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\""
labels = "\"malloc-compiler\n1 thread\" \"malloc-database\n1 thread\" \"malloc-interpreter\n1 thread\""
y_title = "most resident ÷ most live"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 688.0/height; bottom = 1 - 903.0/height
load "bars.gp"

# 2 of 2
set label 900 "2 of 2" at screen 528.0/width, screen 1 - 968.0/height center front
set object 1000 rectangle from screen 344.2/width, screen 1 - 992.0/height to screen 370.2/width, screen 1 - 982.0/height front fc rgb '#56b4e9' fs pattern 1 border lc rgb '#222222'
set label 1000 'snmalloc' at screen 374.2/width, screen 1 - 987.0/height left front
set object 1001 rectangle from screen 443.5/width, screen 1 - 992.0/height to screen 469.5/width, screen 1 - 982.0/height front fc rgb '#7b3294' fs pattern 4 border lc rgb '#222222'
set label 1001 'scudo' at screen 473.5/width, screen 1 - 987.0/height left front
set object 1002 rectangle from screen 525.5/width, screen 1 - 992.0/height to screen 551.5/width, screen 1 - 982.0/height front fc rgb '#a58c00' fs pattern 2 border lc rgb '#222222'
set label 1002 'rpmalloc' at screen 555.5/width, screen 1 - 987.0/height left front
set object 1003 rectangle from screen 623.2/width, screen 1 - 992.0/height to screen 649.2/width, screen 1 - 982.0/height front fc rgb '#1f603b' fs pattern 2 border lc rgb '#222222'
set label 1003 'gperftools' at screen 653.2/width, screen 1 - 987.0/height left front
panel = "2 of 2"; measure = "most resident ÷ most live"; value = "value"
series = "\"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
labels = "\"malloc-compiler\n1 thread\" \"malloc-database\n1 thread\" \"malloc-interpreter\n1 thread\""
y_title = "most resident ÷ most live"; direct = 0
left = 70.0/width; right = 986.0/width; top = 1 - 1005.0/height; bottom = 1 - 1220.0/height
load "bars.gp"

unset multiplot
