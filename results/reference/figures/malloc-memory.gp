styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #8da9c4 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '7 6 1 5 0 1 4 2 2'
point_types = '3 15 13 7 14 12 8 1 10'
dashes = '1 2 5 5 4 1 2 4 5'
legend_px = 42.0
legend = "set arrow 1000 from screen 110.9/width, screen 1 - 14.0/height to screen 136.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#8c510a' front; set label 1000 'tcmalloc' at screen 140.9/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 207.4/width, screen 1 - 14.0/height to screen 233.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#d55e00' front; set label 1001 'jemalloc' at screen 237.4/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 303.3/width, screen 1 - 14.0/height to screen 329.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#003b73' front; set label 1002 'mimalloc' at screen 333.3/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 403.5/width, screen 1 - 14.0/height to screen 429.5/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#8da9c4' front; set label 1003 'mimalloc2' at screen 433.5/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 511.1/width, screen 1 - 14.0/height to screen 537.1/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#4d4d4d' front; set label 1004 'glibc' at screen 541.1/width, screen 1 - 14.0/height left front; set arrow 1005 from screen 586.4/width, screen 1 - 14.0/height to screen 612.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#56b4e9' front; set label 1005 'snmalloc' at screen 616.4/width, screen 1 - 14.0/height left front; set arrow 1006 from screen 685.7/width, screen 1 - 14.0/height to screen 711.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#7b3294' front; set label 1006 'scudo' at screen 715.7/width, screen 1 - 14.0/height left front; set arrow 1007 from screen 767.8/width, screen 1 - 14.0/height to screen 793.8/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#a58c00' front; set label 1007 'rpmalloc' at screen 797.8/width, screen 1 - 14.0/height left front; set arrow 1008 from screen 865.4/width, screen 1 - 14.0/height to screen 891.4/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#1f603b' front; set label 1008 'gperftools' at screen 895.4/width, screen 1 - 14.0/height left front; set arrow 1009 from screen 489.5/width, screen 1 - 30.0/height to screen 515.5/width, screen 1 - 30.0/height nohead lw 1 dt 1 lc rgb '#555555' front; set label 1009 'live bytes' at screen 519.5/width, screen 1 - 30.0/height left front"
direct = 0; names_px = 54.4
all_names = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
# The figure malloc-memory, which lines.gp draws.

name = "malloc-memory"
own_scale = 1
columns = 3
reference = "live bytes"
load "lines.gp"
