# One metric over all runs of a history, one panel per cell: medians with their intervals, the level
# of each segment, and the changes. Only the first `most` cells have a panel.
# Columns: panel measure x label value value-low value-high centre change (- if there is none)

name = "history"
if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
most = 12

panels = ""; y_title = ""
stats data using (panels = with_one(panels, strcol("panel")), y_title = strcol("measure"), 1) nooutput
shown = words(panels) < most ? words(panels) : most
across = shown == 1 ? 1 : shown <= 8 ? 2 : 3
down = (shown + across - 1) / across
# In pixels: the legend, a panel's frame, and the labels below it.
head = words(panels) > most ? 72.0 : 56.0
tall = down == 1 ? 300.0 : 150.0
below = 62.0
width = 1000
height = int(head + down * tall + (down - 1) * (below + 24) + below)
load "style.gp"

in_panel(x) = strcol("panel") eq the_panel
changes(x) = in_panel(0) && strcol("change") ne "-"
# A title gets its share of the width.
room = 132 / across
titled(s) = strlen(s) <= room ? s : s[1 : room - 1]."…"
# Labels stand upright, 15 pixels apart or more, at round distances.
labels_most = int(width * 0.88 / across / 15)
apart(n) = n <= labels_most ? 1 : n <= 2 * labels_most ? 2 : n <= 5 * labels_most ? 5 : 10 * int(ceil(n / 10.0 / labels_most))
# The name of a run without a revision may be too long for the room below.
shortened(s) = strlen(s) <= 9 ? s : s[1 : 8]."…"
with_tic(list, x, s) = list.(strlen(list) ? ", " : "").sprintf("\"%s\" %d", doubled(shortened(s)), x)
# One decimal prefix for all tics of a panel.
thousands(x) = x > 0 ? int(floor(log10(x) / 3.0)) : 0
within(n) = n < -3 ? -3 : n > 4 ? 4 : n
prefix(n) = n == 0 ? "" : word("n µ m - k M G T", n + 4)
# Labels of changes alternate between three heights, to the right of the change, or to the left if
# there is no room.
turn = across == 3 ? 0.5 : 0.7
said_at(n) = top - (0.05 + 0.095 * ((n - 1) % 3)) * (top - bottom)

set multiplot layout down, across \
    margins 74.0 / width, 0.985, below / height, 1 - head / height spacing 62.0 / width, (below + 24) / height
if (words(panels) > most) { set label 9 sprintf("%d more cells have no panel", words(panels) - most) at screen 0.5, 1 - 44.0 / height center font ",9" tc rgb "#666666" }
do for [p=1:shown] {
    the_panel = word(panels, p)
    set xrange [*:*]
    set yrange [*:*]
    stats data using (in_panel(0) ? column("x") : NaN) nooutput
    last = STATS_max
    stats data using (in_panel(0) ? column("value-low") : NaN) nooutput
    lowest = STATS_min
    stats data using (in_panel(0) ? column("value-high") : NaN) nooutput
    highest = STATS_max
    power = within(thousands(highest > -lowest ? highest : -lowest))
    scale = 1000.0 ** power
    # Room above for the labels of changes.
    size = highest > lowest ? highest - lowest : highest == 0 ? 1.0 : 0.02 * abs(highest)
    bottom = (lowest - 0.1 * size) / scale
    top = (highest + 0.45 * size) / scale
    set xrange [0.5 - 0.01 * last : last + 0.5 + 0.01 * last]
    set yrange [bottom : top]
    set ytics tics_apart(1.2 * size / scale) font ",9"
    set format y "%g".prefix(power)
    labels = ""
    stats data using (in_panel(0) && (int(column("x")) - 1) % apart(last) == 0 ? (labels = with_tic(labels, column("x"), strcol("label")), 1) : NaN) nooutput
    eval "set xtics (".labels.") rotate by 90 right font \",8\""
    set title titled(the_panel) offset 0, -0.7
    if (p % across == 1 || across == 1) { set ylabel y_title } else { unset ylabel }
    if (p == 2) { unset label 9 }
    if (p == 1) { eval legend_above; set key at screen 0.5, 1 - 4.0 / height samplen 2.4 } else { unset key }
    begun = 0; ended = 0
    plot \
        data using (changes(0) ? column("x") - 0.5 : NaN):(bottom):(0):(top - bottom) \
            with vectors nohead lw 1.1 dt 2 lc rgb "#b0003a" notitle, \
        data using (in_panel(0) ? column("x") : NaN):(column("value-low") / scale):(0):((column("value-high") - column("value-low")) / scale) \
            with vectors heads size screen 0.0015,90 lw 0.8 lc rgb "#8c8c8c" notitle, \
        data using (in_panel(0) ? column("x") - 0.5 : NaN):(column("centre") / scale):(1):(0) \
            with vectors nohead lw 2.4 lc rgb "#e69f00" notitle, \
        data using (in_panel(0) ? column("x") : NaN):(column("value") / scale) \
            with points pt 7 ps (last > 60 ? 0.35 : 0.6) lc rgb "#0057a8" notitle, \
        data using (changes(0) ? (begun = begun + 1, column("x") <= turn * last ? column("x") - 0.5 : NaN) : NaN):(said_at(begun)):(" ".shortened(strcol("label")).": ".strcol("change")) \
            with labels left font ",8" tc rgb "#b0003a" notitle, \
        data using (changes(0) ? (ended = ended + 1, column("x") > turn * last ? column("x") - 0.5 : NaN) : NaN):(said_at(ended)):(shortened(strcol("label")).": ".strcol("change")." ") \
            with labels right font ",8" tc rgb "#b0003a" notitle, \
        keyentry with points pt 7 ps 0.6 lc rgb "#0057a8" title "median of a run", \
        keyentry with lines lw 0.8 lc rgb "#8c8c8c" title "its 95 % interval", \
        keyentry with lines lw 2.4 lc rgb "#e69f00" title "level", \
        keyentry with lines lw 1.1 dt 2 lc rgb "#b0003a" title "change of level"
}
unset multiplot
