# Servers under coordinated clients, over time: answers of all shards and of each, errors, and latency.
# Columns: from-s answered-per-s errors-per-s p50-ms p99-ms p999-ms shard-1-per-s shard-2-per-s …
# `events` and `event_words` have the moments of events, in seconds, and their words; `shards` is their number, and
# `end` the end of the schedule, in seconds. What queued then is answered later, and is not drawn.

name = "cluster"
if (!exists("data")) { data = name.".tsv" }
if (!exists("events")) { events = ""; event_words = ""; shards = 0 }
width = 1000
height = 760
load "style.gp"
set datafile separator "\t"
set datafile columnheaders
set datafile missing "nan"
colour(i) = word("#0057a8 #e69f00 #009e73 #b0003a #56b4e9 #cc79a7 #4d4d4d #d55e00 #8c8c00 #8c8c8c", 1 + (i - 1) % 10)

if (!exists("end")) {
    stats data using (column("from-s")) nooutput
    end = STATS_max
}
from(i) = column("from-s") < end ? column("from-s") : NaN

set multiplot
set lmargin at screen 0.085
set rmargin at screen 0.985
set xrange [0:end]
do for [i=1:words(events)] {
    set arrow from word(events, i), graph 0 to word(events, i), graph 1 nohead dt 2 lc rgb "#b0003a" lw 1.2
}

set tmargin at screen 0.93
set bmargin at screen 0.60
set yrange [0:*]
set ylabel "answers a second" offset 0.5,0
set format x ""
set key at screen 0.985,0.985 right top horizontal maxrows 1 Left reverse
do for [i=1:words(events)] {
    set label i word(event_words, i) at word(events, i), graph 0.04 offset 0.4,0 font ",9" tc rgb "#b0003a"
}
plot data using (from(0)):(column("answered-per-s")) with steps lw 2.2 lc rgb "#000000" title "all", \
    for [i=1:shards] data using (from(0)):(column(sprintf("shard-%d-per-s", i))) with steps lw 1.5 lc rgb colour(i) title sprintf("shard %d", i)
do for [i=1:words(events)] { unset label i }

set tmargin at screen 0.56
set bmargin at screen 0.40
set ylabel "errors a second" offset 0.5,0
unset key
plot data using (from(0)):(column("errors-per-s")) with steps lw 1.8 lc rgb "#b0003a" notitle

set tmargin at screen 0.36
set bmargin at screen 0.075
set ylabel "latency, ms" offset 0.5,0
set xlabel "s" offset 0,0.5
set format x "%g"
set logscale y
set yrange [*:*]
set key at screen 0.985,0.39 right top horizontal maxrows 1 Left reverse
plot data using (from(0)):(column("p50-ms")) with lines lw 1.8 lc rgb "#009e73" title "median", \
    data using (from(0)):(column("p99-ms")) with lines lw 1.8 lc rgb "#0057a8" title "p99", \
    data using (from(0)):(column("p999-ms")) with lines lw 1.8 lc rgb "#e69f00" title "p99.9"
unset multiplot
