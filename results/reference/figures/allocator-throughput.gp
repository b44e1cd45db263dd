styled = "\"tcmalloc\" \"jemalloc\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"gperftools\""
colours = '#8c510a #d55e00 #003b73 #8da9c4 #4d4d4d #56b4e9 #7b3294 #1f603b'
patterns = '7 6 1 5 0 1 4 2'
point_types = '3 15 13 7 14 12 8 10'
dashes = '1 2 5 5 4 1 2 5'
legend_px = 26.0
legend = "set label 1500 '' at screen 146.5/width, screen 1 - 14.0/height point pt 3 ps 1 lc rgb '#8c510a' front; set label 1000 'tcmalloc' at screen 163.5/width, screen 1 - 14.0/height left front; set label 1501 '' at screen 243.0/width, screen 1 - 14.0/height point pt 15 ps 1 lc rgb '#d55e00' front; set label 1001 'jemalloc' at screen 260.0/width, screen 1 - 14.0/height left front; set label 1502 '' at screen 338.9/width, screen 1 - 14.0/height point pt 13 ps 1 lc rgb '#003b73' front; set label 1002 'mimalloc' at screen 355.9/width, screen 1 - 14.0/height left front; set label 1503 '' at screen 439.1/width, screen 1 - 14.0/height point pt 7 ps 1 lc rgb '#8da9c4' front; set label 1003 'mimalloc2' at screen 456.1/width, screen 1 - 14.0/height left front; set label 1504 '' at screen 546.7/width, screen 1 - 14.0/height point pt 14 ps 1 lc rgb '#4d4d4d' front; set label 1004 'glibc' at screen 563.7/width, screen 1 - 14.0/height left front; set label 1505 '' at screen 622.0/width, screen 1 - 14.0/height point pt 12 ps 1 lc rgb '#56b4e9' front; set label 1005 'snmalloc' at screen 639.0/width, screen 1 - 14.0/height left front; set label 1506 '' at screen 721.3/width, screen 1 - 14.0/height point pt 8 ps 1 lc rgb '#7b3294' front; set label 1006 'scudo' at screen 738.3/width, screen 1 - 14.0/height left front; set label 1507 '' at screen 803.4/width, screen 1 - 14.0/height point pt 8 ps 1 lc rgb '#222222' front; set label 1007 'fast' at screen 820.4/width, screen 1 - 14.0/height left front; set label 1508 '' at screen 873.7/width, screen 1 - 14.0/height point pt 10 ps 1 lc rgb '#222222' front; set label 1008 'small' at screen 890.7/width, screen 1 - 14.0/height left front"
# Speed against memory: a line for each allocator, from its first filling (dot) to its second (mark). Triangles
# are the same allocators with the settings that their authors name for speed (up) and for memory (down).

name = "allocator-throughput"
width = 1000
height = 720
load "style.gp"
unset key

# Panels that would be empty are left out.
here(x) = strcol("panel") eq "default" && is_number(column("overhead"))
series = ""; groups = ""; places = ""
stats data using (here(0) ? (series = with_one(series, strcol("series")), groups = with_one(groups, strcol("group")." (".strcol("below").")"), places = with_one(places, strcol("place")), 1) : NaN) nooutput
count = words(series)
panels = words(groups)
columns = panels < 3 ? panels : 3
lines = (panels + columns - 1) / columns

set grid xtics ytics lc rgb "#dddddd" lw 0.7
set format y "%.1s%c"
set tics font ",9"
at(g) = here(0) && strcol("place") eq word(places, g)
variant(g, name) = strcol("panel") eq name && is_number(column("overhead")) && strcol("place") eq word(places, g)
drawn(g, i, name) = variant(g, name) && strcol("series") eq word(series, i)
mine(g, i) = at(g) && strcol("series") eq word(series, i)
start_x(g, i) = mine(g, i) ? column("fill-overhead") : NaN

set multiplot layout lines,columns margins 0.07,0.985,0.08,1 - (legend_px + 24.0) / height spacing 0.065,0.13
do for [g=1:panels] {
    set title word(groups, g) offset 0,-0.6
    if (g > panels - columns) { set xlabel "resident ÷ live bytes" offset 0,0.4 } else { unset xlabel }
    if (g % columns == 1 || columns == 1) { set ylabel "operations/s" } else { unset ylabel }
    unset label; unset arrow
    if (g == 1) { eval legend }
    # A few outliers far to the right would squeeze the others: they are named at the edge instead.
    set xrange [*:*]
    set yrange [*:*]
    stats data using (at(g) ? column("overhead") : NaN) nooutput
    farthest = STATS_max
    end = axis_end(STATS_max, STATS_up_quartile)
    stats data using (at(g) ? column("fill-overhead") : NaN) nooutput
    nearest = exists("STATS_min") ? least(STATS_min, 1.0) : 1
    # Variants may hold more than any allocator as it comes.
    undefine STATS_*
    stats data using (variant(g, "fast") || variant(g, "small") ? column("overhead") : NaN) nooutput
    end = (exists("STATS_max") && STATS_max > end && STATS_max < 1.5 * end) ? STATS_max : end
    end = (end - nearest < 0.1) ? nearest + 0.1 : end
    set xrange [nearest - 0.04 * (end - nearest) : end + 0.08 * (end - nearest)]
    edge = end + 0.05 * (end - nearest)
    set yrange [0:*]
    plot \
        for [i=1:count] data using (start_x(g, i)):(column("fill")):(least(column("overhead"), edge) - column("fill-overhead")):(column("refill") - column("fill")) \
            with vectors nohead lc rgb colour_of(word(series, i)) lw 1.1 notitle, \
        for [i=1:count] data using (start_x(g, i)):(column("fill")) with points pt 7 ps 0.3 lc rgb colour_of(word(series, i)) notitle, \
        for [i=1:count] data using (mine(g, i) ? least(column("overhead"), edge) : NaN):(column("refill")) \
            with points pt point_of(word(series, i)) ps 1.15 lw 1.6 lc rgb colour_of(word(series, i)) notitle, \
        for [i=1:count] data using (drawn(g, i, "fast") ? least(column("overhead"), edge) : NaN):(column("refill")) \
            with points pt 8 ps 0.9 lw 1.4 lc rgb colour_of(word(series, i)) notitle, \
        for [i=1:count] data using (drawn(g, i, "small") ? least(column("overhead"), edge) : NaN):(column("refill")) \
            with points pt 10 ps 0.9 lw 1.4 lc rgb colour_of(word(series, i)) notitle, \
        for [i=1:count] data using (mine(g, i) && column("overhead") > edge ? edge : NaN):(column("refill")):(sprintf("%.3g →  ", column("overhead"))) \
            with labels right offset 0,-0.8 font ",8" notitle
}
unset multiplot
