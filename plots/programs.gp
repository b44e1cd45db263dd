# Memory over time of commands, or of one under several allocators: a line for each.
# Columns: series elapsed-s memory-mib

name = "programs"
if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
series = ""
stats data using (series = with_one(series, strcol("series")), 1) nooutput
count = words(series)
# Two names side by side above the drawing.
legend_lines = (count + 1) / 2
width = 1000
height = 420 + 18 * legend_lines
load "style.gp"
colour(i) = word("#0057a8 #e69f00 #009e73 #b0003a #56b4e9 #cc79a7 #4d4d4d #d55e00 #8c8c00 #8c8c8c", 1 + (i - 1) % 10)
# A name gets its share of the width.
shortened(s) = strlen(s) <= 60 ? s : s[1 : 59]."…"

set xlabel "s"
set ylabel "resident memory of all processes, MiB"
set xrange [0:*]
set yrange [0:*]
set key above maxcols 2 Left reverse font ",9"
plot for [i=1:count] data using (strcol("series") eq word(series, i) ? column("elapsed-s") : NaN):(column("memory-mib")) \
    with lines lw 1.8 lc rgb colour(i) title shortened(word(series, i))
