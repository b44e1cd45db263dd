styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '7 6 1 0 1 4 2 2'
point_types = '3 15 13 14 12 8 1 10'
dashes = '1 2 5 4 1 2 4 5'
legend_px = 26.0
legend = "set arrow 1000 from screen 112.7/width, screen 1 - 14.0/height to screen 138.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#8c510a' front; set label 1000 'tcmalloc' at screen 142.7/width, screen 1 - 14.0/height left front; set arrow 1001 from screen 209.2/width, screen 1 - 14.0/height to screen 235.2/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#d55e00' front; set label 1001 'jemalloc' at screen 239.2/width, screen 1 - 14.0/height left front; set arrow 1002 from screen 305.1/width, screen 1 - 14.0/height to screen 331.1/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#003b73' front; set label 1002 'mimalloc' at screen 335.1/width, screen 1 - 14.0/height left front; set arrow 1003 from screen 405.3/width, screen 1 - 14.0/height to screen 431.3/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#4d4d4d' front; set label 1003 'glibc' at screen 435.3/width, screen 1 - 14.0/height left front; set arrow 1004 from screen 480.6/width, screen 1 - 14.0/height to screen 506.6/width, screen 1 - 14.0/height nohead lw 1.6 dt 1 lc rgb '#56b4e9' front; set label 1004 'snmalloc' at screen 510.6/width, screen 1 - 14.0/height left front; set arrow 1005 from screen 579.9/width, screen 1 - 14.0/height to screen 605.9/width, screen 1 - 14.0/height nohead lw 1.6 dt 2 lc rgb '#7b3294' front; set label 1005 'scudo' at screen 609.9/width, screen 1 - 14.0/height left front; set arrow 1006 from screen 662.0/width, screen 1 - 14.0/height to screen 688.0/width, screen 1 - 14.0/height nohead lw 1.6 dt 4 lc rgb '#a58c00' front; set label 1006 'rpmalloc' at screen 692.0/width, screen 1 - 14.0/height left front; set arrow 1007 from screen 759.7/width, screen 1 - 14.0/height to screen 785.7/width, screen 1 - 14.0/height nohead lw 1.6 dt 5 lc rgb '#1f603b' front; set label 1007 'gperftools' at screen 789.7/width, screen 1 - 14.0/height left front; set arrow 1008 from screen 866.3/width, screen 1 - 14.0/height to screen 892.3/width, screen 1 - 14.0/height nohead lw 1 dt 1 lc rgb '#555555' front; set label 1008 'live bytes' at screen 896.3/width, screen 1 - 14.0/height left front"
direct = 0; names_px = 53.5
all_names = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
# The figure malloc-memory, which lines.gp draws.

name = "malloc-memory"
own_scale = 1
columns = 3
reference = "live bytes"
load "lines.gp"
