styled = "\"update=in-place\" \"defaults, appending (base)\""
colours = '#0072b2 #e69f00'
patterns = '3 5'
point_types = '7 5'
dashes = '1 2'
# Throughput with one knob turned ÷ throughput of the default configuration, a line for each value.

name = "engine-knobs"
width = 900
if (!exists("data")) data = name.".tsv"
set datafile separator "\t"
set datafile columnheaders
series = ""
stats data using (series = series.'"'.strcol("series").'" ', 1) nooutput
count = words(series)
height = 90 + 24 * count
load "style.gp"

stats data using (is_number(column("ratio")) ? column("ratio-high") : NaN) nooutput
end = exists("STATS_max") ? STATS_max : 1
end = end < 1.05 ? 1.05 : end

set lmargin at screen 0.33
set rmargin at screen 0.975
set tmargin at screen 0.985
set bmargin at screen 60.0 / height
set xrange [0 : end * 1.05]
set yrange [-count + 0.4 : 0.6]
set ytics scale 0 ("" 0)
do for [i=1:count] { set ytics add (word(series, i) 1-i) }
set xlabel "throughput ÷ that of the defaults"
set grid noytics xtics lc rgb "#dddddd" lw 0.7
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb "#000000" lw 0.8 dt 2 back
unset key
plot \
    data using (is_number(column("ratio")) ? 0 : NaN):(-column("order")):(column("ratio")):(0) \
        with vectors nohead lw 5 lc rgb "#a9bfd6" notitle, \
    data using (column("n") > 1 ? column("ratio-low") : NaN):(-column("order")):(column("ratio-high") - column("ratio-low")):(0) \
        with vectors as 9 notitle, \
    data using (column("ratio")):(-column("order")) with points pt 7 ps 0.8 lc rgb "#0057a8" notitle
