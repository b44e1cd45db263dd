# Index bytes for each key over the number of keys above, throughput by layout below.

name = "index-layouts"
width = 1000
height = 720
load "style.gp"
interval = 1

names = ""
stats data using (names = with_one(names, strcol("series")), 1) nooutput
is_point(x) = strcol("panel") eq "index" && is_number(column("index-bytes"))
points = 0
stats data using (is_point(0) ? (points = points + 1, column("index-bytes")) : NaN) nooutput
highest = exists("STATS_max") ? STATS_max : 1
mine(i) = is_point(0) && strcol("series") eq word(names, i)

set multiplot layout 2,1 margins 0.065,0.965,0.07,0.9 spacing 0.05,0.14
set ylabel "index bytes per key"
set xlabel "keys" offset 0,0.5
set format x "%.1s %c"
set yrange [0 : highest * 1.1]
set xrange [*:*]
set grid xtics ytics lc rgb "#dddddd" lw 0.7
eval legend_above
# Without census nothing passes, and an empty panel needs a range of its own.
if (points == 0) { set xrange [0:1]; unset key }
plot \
    for [i=1:words(names)] data using (mine(i) ? column("keys") : NaN):(column("index-bytes")) \
        with linespoints lw 1.4 lc rgb line_colour_of(word(names, i)) pt point_of(word(names, i)) ps 1.1 notitle, \
    for [i=1:words(names)] keyentry with linespoints lw 1.4 lc rgb line_colour_of(word(names, i)) pt point_of(word(names, i)) ps 1.1 title word(names, i)

unset xlabel
set format x "%h"
set grid noxtics
set ylabel "throughput, Mops/s"
call "bars.gp" "throughput" "mops" "no" "no"
unset multiplot
