styled = "\"nibble\" \"nibble@update=append\" \"nibble@preset=paper\" \"mica@preset=nibble-paper\" \"tcmalloc\" \"jemalloc\" \"ramcloud\" \"mimalloc\" \"mimalloc2\" \"glibc\" \"snmalloc\" \"scudo\" \"rpmalloc\" \"gperftools\""
colours = '#b0003a #e8799a #7a0026 #1f78b4 #8c510a #d55e00 #eba91c #003b73 #8da9c4 #4d4d4d #56b4e9 #7b3294 #a58c00 #1f603b'
patterns = '3 4 5 1 7 6 5 1 5 0 1 4 2 2'
point_types = '7 5 13 9 3 15 5 13 7 14 12 8 1 10'
dashes = '1 2 4 2 1 2 1 5 5 4 1 2 4 5'
# Resident memory and live bytes through one pattern, a panel for each system.

name = "memory-over-time"
width = 1000
if (!exists("data")) data = name.".tsv"
set datafile separator "\t"
set datafile columnheaders
series = ""
stats data using (series = (strstrt(series, '"'.strcol("series").'"') ? series : series.'"'.strcol("series").'" '), 1) nooutput
panels = words(series)
columns = panels < 4 ? panels : 4
lines = (panels + columns - 1) / columns
height = 60 + 200 * lines
load "style.gp"

kind(g, k) = column("place") == g - 1 && strcol("kind") eq k
stats data using (column("resident-mib") > column("live-mib") ? column("resident-mib") : column("live-mib")) nooutput
top = STATS_max * 1.06

set tics font ",9"
top_margin = 1.0 - 66.0 / height
set multiplot layout lines,columns margins 0.075,0.985,50.0/height,top_margin spacing 0.045,64.0/height
do for [g=1:panels] {
    set xrange [*:*]
    set yrange [*:*]
    stats data using (kind(g, "sample") ? column("end-s") : NaN) nooutput
    end = STATS_max
    set title word(series, g) offset 0,-0.7
    if (g % columns == 1 || columns == 1) { set ylabel "MiB" } else { unset ylabel }
    if (g > panels - columns) { set xlabel "s" offset 0,0.5 } else { unset xlabel }
    if (g == 1) { eval legend_above } else { unset key }
    # Up to the end of the second filling; the idle wait and the purge are shown beside it, not to scale.
    set xrange [0 : end * 1.26]
    set yrange [0 : top]
    set xtics 0, tics_apart(end), end
    set arrow 1 from end*1.05, graph 0 to end*1.05, graph 1 nohead dt 2 lc rgb "#555555" lw 0.9
    plot \
        data using (kind(g, "sample") ? column("elapsed-s") : NaN):(column("live-mib")) with filledcurves y1=0 fs solid noborder lc rgb "#cfcfcf" title "live bytes", \
        data using (kind(g, "sample") ? column("elapsed-s") : NaN):(column("resident-mib")) with lines lw 1.8 lc rgb "#0057a8" title "resident", \
        data using (kind(g, "idle") ? end * 1.115 : NaN):(column("resident-mib")) with points pt 6 ps 0.9 lw 1.4 lc rgb "#000000" title "resident after idle", \
        data using (kind(g, "purge") ? end * 1.195 : NaN):(column("resident-mib")) with points pt 8 ps 1.0 lw 1.4 lc rgb "#000000" title "after purge"
}
unset multiplot
