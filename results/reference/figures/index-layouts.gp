styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
# Index bytes for each key over the number of keys above, throughput by layout below.

name = "index-layouts"
width = 1000
height = 640 + legend_px
load "style.gp"

series = styled; labels = ""
label_here(x) = doubled(strcol("group"))."\n".doubled(strcol("below"))
is_bar(x) = strcol("panel") eq "throughput" && strcol("series") eq word(series, 1)
stats data using (is_bar(0) ? (labels = with_one(labels, label_here(0)), 1) : NaN) nooutput
is_point(x) = strcol("panel") eq "index" && is_number(column("index-bytes"))
points = 0
stats data using (is_point(0) ? (points = points + 1, column("index-bytes")) : NaN) nooutput
highest = exists("STATS_max") ? STATS_max : 1
of_series(i) = is_point(0) && strcol("series") eq word(series, i)

set multiplot
left = 0.07; right = 0.965
set lmargin at screen left
set rmargin at screen right
set tmargin at screen 1 - (legend_px + 8) / height
set bmargin at screen 1 - (legend_px + 258) / height
set ylabel "index bytes per key"
set xlabel "keys" offset 0,0.5
set format x "%.1s %c"
set yrange [0 : highest * 1.1]
set xrange [*:*]
set grid xtics ytics lc rgb "#dddddd" lw 0.7
unset key
eval legend
# Without census nothing passes, and an empty panel needs a range of its own.
if (points == 0) { set xrange [0:1] }
plot \
    for [i=1:words(series)] data using (of_series(i) ? column("keys") : NaN):(column("index-bytes")) \
        with linespoints lw 1.4 dt dash_of(word(series, i)) lc rgb colour_of(word(series, i)) pt point_of(word(series, i)) ps 1.1 notitle
unset label
unset object

set format x "%h"
set grid noxtics
has_panel = 1; has_measure = 0; marks = 0; lower = "-low"; upper = "-high"
panel = "throughput"; measure = ""; value = "mops"; direct = 0
y_title = "throughput, Mops/s"
top = 1 - (legend_px + 330) / height; bottom = 1 - (legend_px + 590) / height
load "bars.gp"
unset multiplot
