# One panel of grouped bars. call "bars.gp" PANEL VALUE MARKS KEY
#   PANEL  rows with this value in column `panel`; * for all
#   VALUE  column of the bars; VALUE-min and VALUE-max are their error bars, or VALUE-low and
#          VALUE-high where the script sets `interval = 1`
#   MARKS  yes: columns after-idle and after-purge as points
#   KEY    yes: a legend above, with all series of the figure that have a bar in some panel;
#          a script that draws two columns names the other one in `other_value`
# Bars cut off at the end of the axis show their value.

panel = ARG1; value = ARG2; marks = ARG3 eq "yes"; legend = ARG4 eq "yes"

if (!exists("interval")) { interval = 0 }
lower = interval ? "-low" : "-min"; upper = interval ? "-high" : "-max"
# If the script sets `measure`, only rows with this value in column `measure`.
if (!exists("measure")) { measure = "" }
here(x) = (panel eq "*" || strcol("panel") eq panel) && (measure eq "" || strcol("measure") eq measure)
number(x) = is_number(column(value))
# The null system alone does not determine the scale.
scales(x) = here(0) && number(0) && strcol("series") ne "null"

# A range would exclude data from `stats`.
set xrange [*:*]
set yrange [*:*]
series = ""; labels = ""
label_here(x) = quoted(doubled(strcol("group"))."\n".folded(doubled(strcol("below"))))
stats data using (here(0) ? (series = with_one(series, strcol("series")), strcol("series") eq word(series, 1) ? labels = labels.label_here(0) : "", column("place")) : NaN) nooutput
groups = int(STATS_max) + 1
if (!exists("other_value")) { other_value = value }
names = ""; named = ""
is_drawn(x) = panel eq "*" || strcol("panel") ne "table only"
has_bar(x) = is_drawn(0) && (number(0) || is_number(column(other_value)))
stats data using (names = with_one(names, strcol("series")), has_bar(0) ? (named = with_one(named, strcol("series"))) : "", 1) nooutput
count = words(series)
# `stats` defines nothing if no number passes.
stats data using (scales(0) ? column(value.upper) : NaN) nooutput
# If there is only the null system, it does determine the scale.
if (!exists("STATS_max")) { stats data using (here(0) ? column(value.upper) : NaN) nooutput }
end = exists("STATS_max") ? axis_end(STATS_max, STATS_up_quartile) : 1
if (!(end > 0)) { end = 1 }
if (marks) {
    # Marks of bars that are not cut off must not be cut off either.
    stats data using (here(0) && column(value) <= end ? column("after-idle") : NaN) nooutput
    if (exists("STATS_max")) { if (STATS_max > end) { end = STATS_max } }
}
if (value eq "overhead" && end < 1.05) { end = 1.05 }
cut = end * 1.02
full = end * 1.16
step = 0.86 / count

# Without marks no row passes; an existing column replaces the two that do not exist.
idle = marks ? "after-idle" : value; purge = marks ? "after-purge" : value
mine(s) = here(0) && strcol("series") eq s
x(i) = column("place") + (i - 0.5 - count / 2.0) * step

set xrange [-0.5 : groups - 0.5]
set yrange [0 : full]
set xtics scale 0 ("" 0)
do for [g=1:groups] { set xtics add (word(labels, g) g-1) }
if (value eq "overhead") { set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#000000" lw 0.8 dt 2 back } else { unset arrow 1 }
# Thin lines between groups.
do for [g=1:groups-1] { set arrow (100+g) from first g-0.5, graph 0 to first g-0.5, graph 1 nohead lc rgb "#cccccc" lw 0.6 back }
if (legend) { eval legend_above; set key maxrows legend_rows(words(named)) } else { unset key }

bar_titles = legend ? ', for [i=1:words(named)] keyentry with boxes fc rgb colour_of(word(named, i)) fs pattern pattern_of(word(named, i)) border lc rgb "#222222" lw 0.6 title word(named, i)' : ''
mark_titles = marks && legend ? ', keyentry with points pt 6 ps 0.62 lw 1.2 lc rgb "#000000" title "after idle", keyentry with points pt 8 ps 0.75 lw 1.2 lc rgb "#000000" title "after purge"' : ''
name_of(i) = word(series, i)
plot \
    for [i=1:count] data using (mine(name_of(i)) ? x(i) : NaN):(least(column(value), cut)):(step*0.92) \
        with boxes fc rgb colour_of(name_of(i)) fs pattern pattern_of(name_of(i)) border lc rgb "#222222" lw 0.6 notitle, \
    for [i=1:count] data using (mine(name_of(i)) && column(value) <= cut && column("n") > 1 ? x(i) : NaN):(column(value.lower)):(0):(least(column(value.upper), full) - column(value.lower)) \
        with vectors as 9 notitle, \
    for [i=1:count] data using (marks && mine(name_of(i)) ? x(i) : NaN):(column(idle) <= full ? column(idle) : NaN) \
        with points pt 7 ps 0.85 lc rgb "#ffffff" notitle, \
    for [i=1:count] data using (marks && mine(name_of(i)) ? x(i) : NaN):(column(idle) <= full ? column(idle) : NaN) \
        with points pt 6 ps 0.62 lw 1.2 lc rgb "#000000" notitle, \
    for [i=1:count] data using (marks && mine(name_of(i)) ? x(i) : NaN):(column(purge) <= full ? column(purge) : NaN) \
        with points pt 9 ps 1.15 lc rgb "#ffffff" notitle, \
    for [i=1:count] data using (marks && mine(name_of(i)) ? x(i) : NaN):(column(purge) <= full ? column(purge) : NaN) \
        with points pt 8 ps 0.75 lw 1.2 lc rgb "#000000" notitle, \
    for [i=1:count] data using (mine(name_of(i)) && column(value) > cut ? x(i) : NaN):(cut * 1.01):(gprintf("%.1s%c", column(value))) \
        with labels left rotate by 90 font ",8" notitle @bar_titles @mark_titles

do for [g=1:groups-1] { unset arrow (100+g) }
