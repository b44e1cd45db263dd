# The figure servers: panels of bars, each of which bars.gp draws.

name = "servers"
width = 1000; height = 1356
styled = "\"redis@servers=2\" \"redis@server=redis8@servers=2\" \"redis@server=valkey@servers=2\" \"redis@preload=jemalloc@server=valkey@servers=2\" \"redis@preload=mimalloc@server=valkey@servers=2\""
colours = '#d34d2e #7f1d0e #4d4d4d #d55e00 #003b73'
patterns = '5 4 3 6 1'
point_types = '10 15 14 15 13'
dashes = '2 5 2 1 2'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 17.0/height center front
set label 901 "50 % GET, uniform" at screen 528.0/width, screen 1 - 316.0/height center front
panel = "single operations"; measure = "throughput, Mops/s"; value = "value"
series = "\"redis@servers=2\" \"redis@server=redis8@servers=2\" \"redis@server=valkey@servers=2\" \"redis@preload=jemalloc@server=valkey@servers=2\" \"redis@preload=mimalloc@server=valkey@servers=2\""
labels = "\"redis@servers=2\" \"redis@server=redis8\n@servers=2\" \"redis@server=valkey\n@servers=2\" \"redis@preload=jemalloc\n@server=valkey\n@servers=2\" \"redis@preload=mimalloc\n@server=valkey\n@servers=2\""
y_title = "throughput, Mops/s"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 34.0/height; bottom = 1 - 249.0/height
load "bars.gp"

# batches of 64
set label 900 "batches of 64" at screen 528.0/width, screen 1 - 354.0/height center front
set label 901 "50 % GET, uniform" at screen 528.0/width, screen 1 - 653.0/height center front
panel = "batches of 64"; measure = "throughput, Mops/s"; value = "value"
series = "\"redis@servers=2\" \"redis@server=redis8@servers=2\" \"redis@server=valkey@servers=2\" \"redis@preload=jemalloc@server=valkey@servers=2\" \"redis@preload=mimalloc@server=valkey@servers=2\""
labels = "\"redis@servers=2\" \"redis@server=redis8\n@servers=2\" \"redis@server=valkey\n@servers=2\" \"redis@preload=jemalloc\n@server=valkey\n@servers=2\" \"redis@preload=mimalloc\n@server=valkey\n@servers=2\""
y_title = "throughput, Mops/s"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 371.0/height; bottom = 1 - 586.0/height
load "bars.gp"

# single operations
set label 900 "single operations" at screen 528.0/width, screen 1 - 691.0/height center front
set label 901 "50 % GET, uniform" at screen 528.0/width, screen 1 - 990.0/height center front
panel = "single operations"; measure = "resident ÷ live value bytes"; value = "value"
series = "\"redis@servers=2\" \"redis@server=redis8@servers=2\" \"redis@server=valkey@servers=2\" \"redis@preload=jemalloc@server=valkey@servers=2\" \"redis@preload=mimalloc@server=valkey@servers=2\""
labels = "\"redis@servers=2\" \"redis@server=redis8\n@servers=2\" \"redis@server=valkey\n@servers=2\" \"redis@preload=jemalloc\n@server=valkey\n@servers=2\" \"redis@preload=mimalloc\n@server=valkey\n@servers=2\""
y_title = "resident ÷ live value bytes"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 708.0/height; bottom = 1 - 923.0/height
load "bars.gp"

# batches of 64
set label 900 "batches of 64" at screen 528.0/width, screen 1 - 1028.0/height center front
set label 901 "50 % GET, uniform" at screen 528.0/width, screen 1 - 1327.0/height center front
panel = "batches of 64"; measure = "resident ÷ live value bytes"; value = "value"
series = "\"redis@servers=2\" \"redis@server=redis8@servers=2\" \"redis@server=valkey@servers=2\" \"redis@preload=jemalloc@server=valkey@servers=2\" \"redis@preload=mimalloc@server=valkey@servers=2\""
labels = "\"redis@servers=2\" \"redis@server=redis8\n@servers=2\" \"redis@server=valkey\n@servers=2\" \"redis@preload=jemalloc\n@server=valkey\n@servers=2\" \"redis@preload=mimalloc\n@server=valkey\n@servers=2\""
y_title = "resident ÷ live value bytes"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 1045.0/height; bottom = 1 - 1260.0/height
load "bars.gp"

unset multiplot
