# The figure defragmentation: panels of bars, each of which bars.gp draws.

name = "defragmentation"
width = 1000; height = 971
styled = "\"redis\" \"redis@server=redis8\" \"redis@defrag=default@server=redis8\" \"redis@defrag=tuned@server=redis8\" \"redis@server=valkey\" \"memcached [a]\" \"memcached@slab-automove=false [a]\""
colours = '#d34d2e #7f1d0e #a63a1f #d34d2e #b3b3b3 #9bd39e #14532d'
patterns = '5 3 1 4 3 2 7'
point_types = '10 14 11 8 14 0 0'
dashes = '4 1 2 1 5 1 2'
load "style.gp"
has_panel = 1; has_measure = 1; marks = 0
lower = "-low"; upper = "-high"
set multiplot

# 
set label 901 "P2: 1000 → 1024 B" at screen 528.0/width, screen 1 - 300.0/height center front
panel = ""; measure = "resident ÷ live value bytes"; value = "value"
series = "\"redis\" \"redis@server=redis8\" \"redis@defrag=default@server=redis8\" \"redis@defrag=tuned@server=redis8\" \"redis@server=valkey\" \"memcached [a]\" \"memcached@slab-automove=false [a]\""
labels = "\"redis\" \"redis\n@server=redis8\" \"redis\n@defrag=default\n@server=redis8\" \"redis\n@defrag=tuned\n@server=redis8\" \"redis\n@server=valkey\" \"memcached [a]\" \"memcached\n@slab-automove=false\n[a]\""
y_title = "resident ÷ live value bytes"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 18.0/height; bottom = 1 - 233.0/height
load "bars.gp"

# 
set label 901 "P2: 1000 → 1024 B" at screen 528.0/width, screen 1 - 621.0/height center front
panel = ""; measure = "resident after idling ÷ live value bytes"; value = "value"
series = "\"redis\" \"redis@server=redis8\" \"redis@defrag=default@server=redis8\" \"redis@defrag=tuned@server=redis8\" \"redis@server=valkey\" \"memcached [a]\" \"memcached@slab-automove=false [a]\""
labels = "\"redis\" \"redis\n@server=redis8\" \"redis\n@defrag=default\n@server=redis8\" \"redis\n@defrag=tuned\n@server=redis8\" \"redis\n@server=valkey\" \"memcached [a]\" \"memcached\n@slab-automove=false\n[a]\""
y_title = "resident after idling ÷ live value bytes"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 339.0/height; bottom = 1 - 554.0/height
load "bars.gp"

# 
set label 901 "P2: 1000 → 1024 B" at screen 528.0/width, screen 1 - 942.0/height center front
panel = ""; measure = "CPU time, ns/operation"; value = "value"
series = "\"redis\" \"redis@server=redis8\" \"redis@defrag=default@server=redis8\" \"redis@defrag=tuned@server=redis8\" \"redis@server=valkey\" \"memcached [a]\" \"memcached@slab-automove=false [a]\""
labels = "\"redis\" \"redis\n@server=redis8\" \"redis\n@defrag=default\n@server=redis8\" \"redis\n@defrag=tuned\n@server=redis8\" \"redis\n@server=valkey\" \"memcached [a]\" \"memcached\n@slab-automove=false\n[a]\""
y_title = "CPU time, ns/operation"; direct = 1
left = 70.0/width; right = 986.0/width; top = 1 - 660.0/height; bottom = 1 - 875.0/height
load "bars.gp"

unset multiplot
