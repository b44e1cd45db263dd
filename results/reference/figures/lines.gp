# All line panels of a table: one row of panels per measure, or several if there are more panels
# than columns. The script sets `name`, and may set
#   columns    most panels side by side (4)
#   own_axes   1: each panel has its own axes and names its lines itself; else all panels of a measure
#              share them, and one legend stands above them
#   own_scale  1: each panel has its own axes, and all share one legend
#   marked     1: points are marked although the horizontal axis names none of them
#   reference  what grey lines are called
#   predicted  1: lines are predictions and have no points; points are measurements, of role `measured`
# What is made of the table stands before that: legend, legend_px, all_names, and
#   direct     1: names stand at the right ends of the lines, names_px wide
# Columns: measure log log-x panel role series x group below value value-low value-high n mark
#          x-title base; with own_axes `below` is the title of the panel's horizontal axis, if it has its own

if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
if (!exists("columns")) { columns = 4 }
if (!exists("own_axes")) { own_axes = 0 }
if (!exists("own_scale")) { own_scale = 0 }
if (!exists("reference")) { reference = "bound" }
if (!exists("predicted")) { predicted = 0 }
if (!exists("marked")) { marked = 0 }

measures = ""; panels = ""; log_x = 0; x_title = ""
stats data using (measures = with_one(measures, strcol("measure")), panels = with_one(panels, strcol("panel")), x_title = strcol("x-title"), log_x = int(column("log-x")), 1) nooutput
across = words(panels) < columns ? words(panels) : columns
down = (words(panels) + across - 1) / across
width = 1000
head = legend_px + (strlen(word(panels, 1)) ? 26.0 : 10.0)
tall = own_axes ? 240.0 : words(panels) * words(measures) == 1 ? 380.0 : 220.0
between = (own_axes || own_scale) ? 72.0 : 58.0
height = int(head + down * words(measures) * tall + 34)
load "style.gp"
unset key
# A line has a gap where a number is missing.
set datafile missing

in_panel(x) = strcol("measure") eq the_measure && strcol("panel") eq the_panel
mine(s, role) = in_panel(0) && strcol("series") eq s && strcol("role") eq role
counts(x) = strcol("measure") eq the_measure && (!(own_axes || own_scale) || whole(strcol("panel")) eq whole(the_panel))
is_line(s) = mine(s, "main") || mine(s, "level")

refused = ""; bounds = ""
stats data using (strcol("role") eq "reference" ? bounds = with_one(bounds, strcol("series")) : "", 1) nooutput
stats data using (strcol("mark") eq "full" ? refused = with_one(refused, strcol("series")) : "", 1) nooutput
names = all_names
# The pixels of a panel, and the share of it that names at the right ends of lines take.
panel_px = (905.0 - 60.0 * (across - 1)) / across
names_share = direct ? (names_px + 12.0) / panel_px : 0.0
shares_x(x) = counts(0)

# In pixels: the height of a panel's frame is what its title, tics and axis title leave.
set multiplot layout down * words(measures), across \
    margins 0.08, 0.985, 52.0 / height, 1 - head / height spacing 0.06, between / height
do for [m=1:words(measures)] { do for [p=1:down * across] {
    if (p > words(panels)) { set multiplot next } else {
    the_measure = word(measures, m)
    the_panel = word(panels, p)
    set xrange [*:*]
    set yrange [*:*]
    unset logscale
    unset label
    unset arrow
    unset object
    if (m == 1 && p == 1) { eval legend }

    # The vertical axis: linear ones begin at 0, unless there is a base.
    is_log = 0
    stats data using (counts(0) ? (is_log = int(column("log")), 1) : NaN) nooutput
    highest = NaN; lowest = NaN; bound = NaN
    undefine STATS_*
    stats data using (counts(0) && strcol("role") ne "reference" ? column("value-high") : NaN) nooutput
    if (exists("STATS_max")) { highest = STATS_max }
    undefine STATS_*
    stats data using (counts(0) && strcol("role") ne "reference" ? column("value-low") : NaN) nooutput
    if (exists("STATS_min")) { lowest = STATS_min }
    undefine STATS_*
    stats data using (counts(0) && strcol("role") eq "reference" ? column("value-high") : NaN) nooutput
    if (exists("STATS_max")) { bound = STATS_max; if (is_log && STATS_min < lowest) { lowest = STATS_min } }
    if (!is_number(highest)) { highest = is_number(bound) ? bound : 1; if (!is_number(lowest)) { lowest = highest } }
    # Stores set the scale, not a bound far above them.
    if (is_number(bound) && bound > highest && (is_log || bound < 1.3 * highest)) { highest = bound }
    if (is_log) {
        bottom = lowest / 1.5; top = highest * 1.5
        # Wide enough for two of the tics below.
        if (top < bottom * 6) { middle = sqrt(top * bottom); top = middle * 2.5; bottom = middle / 2.5 }
        set logscale y
        set format y "%h"
        set ytics auto
        # Tics at 1, 2 and 5 if powers of ten are too few.
        if (top < bottom * 300) {
            set ytics ("" bottom)
            do for [e=floor(log10(bottom)):floor(log10(top))] { do for [f=1:3] {
                tic = real(word("1 2 5", f)) * 10.0**e
                if (tic >= bottom && tic <= top) { set ytics add (gprintf("%h", tic) tic) }
            } }
        }
    } else {
        bottom = 0; top = highest * 1.08
        set ytics auto
        # Ratios are shown around their base.
        undefine STATS_*
        stats data using (counts(0) ? column("base") : NaN) nooutput
        if (exists("STATS_max")) { base = STATS_max; top = (highest > base ? highest : base) * 1.05; bottom = (lowest < base ? lowest : base) * 0.95 }
        if (top <= 0) { top = 1 }
        set format y "%h"
    }
    cut_off = is_number(bound) && bound > top
    if (cut_off && !is_log) { top = top * 1.12 }

    # The horizontal axis, with a tic at each named value.
    set xtics auto
    labels = ""; places = ""
    stats data using (shares_x(0) && strlen(strcol("group")) ? (places = with_one(places, sprintf("%.12g", column("x"))), labels = with_one(labels, doubled(strcol("group"))), 1) : NaN) nooutput
    undefine STATS_*
    stats data using (shares_x(0) ? column("x") : NaN) nooutput
    from = exists("STATS_min") ? STATS_min : 0
    to = exists("STATS_max") ? STATS_max : 1
    # Where two names would touch, only the right one is printed.
    along(t) = log_x && from > 0 ? log(real(word(places, t)) / from) / log(to / from) : (real(word(places, t)) - from) / (to - from)
    apart_px(t, u) = (along(u) - along(t)) * panel_px * (1 - names_share) * 0.87
    room_px(t, u) = 3.4 * (strlen(word(labels, t)) + strlen(word(labels, u))) + 3
    touches(t) = to > from ? sum [u=1:words(places)] (apart_px(t, u) > 0 && apart_px(t, u) < room_px(t, u) ? 1 : 0) : 0
    if (words(places)) { set xtics ("" from); do for [t=1:words(places)] { set xtics add (touches(t) ? "" : word(labels, t) real(word(places, t))) } }
    # Names at the ends of lines need room to the right.
    wider = 1.0 / (1.0 - names_share)
    if (log_x && from > 0) {
        apart = to > from ? (to / from) ** 0.06 : 2
        set logscale x
        set xrange [from / apart : (from / apart) * (to * apart * apart / from) ** wider]
    } else {
        apart = to > from ? (to - from) * 0.07 : 0.5
        set xrange [from - apart : from - apart + (to - from + 2 * apart) * wider]
    }
    set yrange [bottom : top]

    set title the_panel offset 0, -0.7 font ",10"
    if (p % across == 1 || across == 1) { set ylabel the_measure } else { unset ylabel }
    if (own_axes) { stats data using (in_panel(0) ? (x_title = strcol(strcol("below") eq "" ? "x-title" : "below"), 1) : NaN) nooutput }
    if (own_axes || m == words(measures) && p + across > words(panels)) { set xlabel x_title offset 0, 0.5 } else { unset xlabel }
    # A bound of which the panel shows a part speaks for itself.
    undefine STATS_*
    stats data using (in_panel(0) && strcol("role") eq "reference" ? column("value") : NaN) nooutput
    unseen = exists("STATS_min") ? STATS_min > top : is_number(bound)
    if (is_number(bound) && cut_off && unseen) { set label 1 sprintf("↑ %s: up to %.3g", reference, bound) at graph 0.03, 0.94 left front font ",9" tc rgb "#555555" }
    undefine STATS_*
    stats data using (in_panel(0) ? column("base") : NaN) nooutput
    if (exists("STATS_max")) { set arrow 1 from graph 0, first STATS_max to graph 1, first STATS_max nohead lc rgb "#000000" lw 0.8 dt 2 back }

    # Crosses of several stores at the same place are drawn above one another.
    cross_place(s) = 0.035 + 0.07 * sum [k=1:words(refused)] (word(refused, k) eq s ? k - 1 : 0)
    if (direct && words(names) > 0) {
        # At the height of the last point, but apart from one another.
        array Name_at[words(names)]
        do for [i=1:words(names)] {
            last_x = NaN; last_y = NaN
            stats data using (is_line(word(names, i)) && is_number(column("value")) && !(column("x") < last_x) ? (last_x = column("x"), last_y = column("value"), 1) : NaN) nooutput
            height_of_last = !is_number(last_y) ? NaN : is_log ? log(last_y / bottom) / log(top / bottom) : (last_y - bottom) / (top - bottom)
            # Not across the axis.
            Name_at[i] = is_number(height_of_last) && height_of_last < 0.04 ? 0.04 : height_of_last
        }
        nearest = 15.0 / (tall - between)
        do for [pass=1:20] { do for [i=1:words(names)] { do for [j=1:words(names)] {
            between_two = Name_at[i] - Name_at[j]
            if (i != j && (between_two > 0 || (between_two == 0 && i < j)) && between_two < nearest) {
                shift = (nearest - between_two) / 2
                Name_at[i] = least(Name_at[i] + shift, 0.96)
                Name_at[j] = Name_at[j] - shift < 0.04 ? 0.04 : Name_at[j] - shift
            }
        } } }
        do for [i=1:words(names)] { if (is_number(Name_at[i])) { set label (100 + i) word(names, i) at graph 1.0 - names_share + 0.004, Name_at[i] left front font ",10" tc rgb colour_of(word(names, i)) } }
    }
    cross(s) = is_log ? bottom * (top / bottom) ** cross_place(s) : bottom + (top - bottom) * cross_place(s)
    plot \
        for [i=1:words(names)] data using (mine(word(names, i), "level") ? column("x") : NaN):(column("value-low")):(column("value-high")) \
            with filledcurves fs solid 0.25 noborder lc rgb "#999999" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "level") ? column("x") : NaN):(column("value")) \
            with lines lw 1.6 dt dash_of(word(names, i)) lc rgb colour_of(word(names, i)) notitle, \
        for [i=1:words(bounds)] data using (mine(word(bounds, i), "reference") ? column("x") : NaN):(column("value")) \
            with lines lw 1.0 lc rgb "#555555" notitle, \
        for [i=1:words(styled)] data using (mine(word(styled, i), "thin") ? column("x") : NaN):(column("value")) \
            with lines lw 1.4 dt 3 lc rgb colour_of(word(styled, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && column("n") > 1 ? column("x") : NaN):(column("value-low")):(0):(column("value-high") - column("value-low")) \
            with vectors heads size screen 0.0025,90 lw 0.9 lc rgb colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") ? column("x") : NaN):(column("value")) \
            with lines lw 1.6 dt dash_of(word(names, i)) lc rgb colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && (words(places) || marked) && !predicted ? column("x") : NaN):(column("value")) \
            with points pt point_of(word(names, i)) ps 1.0 lc rgb colour_of(word(names, i)) notitle, \
        for [i=1:words(styled)] data using (mine(word(styled, i), "measured") ? column("x") : NaN):(column("value")) \
            with points pt 6 ps 1.1 lw 1.6 lc rgb colour_of(word(styled, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "overloaded" ? column("x") : NaN):(column("value")) \
            with points pt 7 ps 1.2 lc rgb "#ffffff" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "overloaded" ? column("x") : NaN):(column("value")) \
            with points pt 6 ps 1.15 lw 1.6 lc rgb colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "full" ? column("x") : NaN):(cross(word(names, i))) \
            with points pt 2 ps 0.9 lw 2 lc rgb colour_of(word(names, i)) notitle
} } }
unset multiplot
