# One panel of grouped bars. The script that is made for a figure sets, for all panels,
#   has_panel, has_measure  1 if the table has the columns panel and measure
#   marks                   1: columns after-idle and after-purge as points
#   lower, upper            ends of the names of the columns of error bars
# and for each
#   panel, measure, value   whose rows, and the column of the bars
#   series, labels          what is drawn, and what stands below each group
#   direct                  1: there is one group, and each bar has its own label
#   y_title, left, right, top, bottom
# Bars cut off at the end of the axis show their value, and missing ones say why in column `absent`.

here(x) = (!has_panel || strcol("panel") eq panel) && (!has_measure || strcol("measure") eq measure)
# Parts of one panel have one scale. The null system alone does not determine it.
shares(x) = (!has_panel || whole(strcol("panel")) eq whole(panel)) && (!has_measure || strcol("measure") eq measure)
scales(x) = shares(0) && is_number(column(value)) && strcol("series") ne "null"
count = words(series)
groups = direct ? 1 : words(labels)

# A range would exclude data from `stats`.
set xrange [*:*]
set yrange [*:*]
# `stats` defines nothing if no number passes.
undefine STATS_*
stats data using (scales(0) ? column(value.upper) : NaN) nooutput
# If there is only the null system, it does determine the scale.
if (!exists("STATS_max")) { stats data using (shares(0) ? column(value.upper) : NaN) nooutput }
end = exists("STATS_max") ? axis_end(STATS_max, STATS_up_quartile) : 1
if (!(end > 0)) { end = 1 }
if (marks) {
    # Marks of bars that are not cut off must not be cut off either.
    undefine STATS_*
    stats data using (shares(0) && column(value) <= end ? column("after-idle") : NaN) nooutput
    if (exists("STATS_max")) { if (STATS_max > end) { end = STATS_max } }
}
is_ratio = value eq "overhead"
if (is_ratio && end < 1.05) { end = 1.05 }
cut = end * 1.02
full = end * 1.18
# A few bars are no wider than many.
step = least(0.86 / count, direct ? 0.3 : 0.1 * groups)

# Without marks no row passes; an existing column replaces the two that do not exist.
idle = marks ? "after-idle" : value; purge = marks ? "after-purge" : value
mine(s) = here(0) && strcol("series") eq s
x(i) = column("place") + (i - 0.5 - count / 2.0) * step
name_of(i) = word(series, i)

set lmargin at screen left
set rmargin at screen right
set tmargin at screen top
set bmargin at screen bottom
set xrange [-0.5 : groups - 0.5]
set yrange [0 : full]
set format y (end >= 10000 ? "%.1s%c" : "%h")
set ylabel y_title
unset xlabel
set xtics scale 0 ("" 0)
do for [t=1:words(labels)] { set xtics add (word(labels, t) direct ? (t - 0.5 - count / 2.0) * step : t - 1) }
if (is_ratio) { set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#000000" lw 0.8 dt 2 back } else { unset arrow 1 }
# Thin lines between groups.
do for [g=1:groups-1] { set arrow (100+g) from first g-0.5, graph 0 to first g-0.5, graph 1 nohead lc rgb "#cccccc" lw 0.6 back }
unset key

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
        with labels left rotate by 90 font ",8" notitle, \
    for [i=1:count] data using (mine(name_of(i)) && !is_number(column(value)) ? x(i) : NaN):(full * 0.02):(strcol("absent")) \
        with labels left rotate by 90 font ",9" tc rgb "#444444" notitle

# The legend belongs to this panel.
unset label
unset object
unset arrow
