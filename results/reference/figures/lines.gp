# All line panels of a table: one row of panels per measure, or several if there are more panels
# than columns. The script sets `name`, and may set
#   columns    most panels side by side (4)
#   own_axes   1: each panel has its own vertical axis and its own legend; else all panels of a
#              measure share one, and all panels one legend above them
#   own_scale  1: each panel has its own vertical axis, and all share one legend
#   marked     1: points are marked although the horizontal axis names none of them
#   thin, reference   what thin lines and grey lines are called in the legend
#   predicted  1: lines are predictions and have no points; points are measurements, of role `measured`
# Columns: measure log log-x panel role series x group below value value-low value-high n mark
#          x-title base; with own_axes `below` is the title of the panel's horizontal axis

if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
if (!exists("columns")) { columns = 4 }
if (!exists("own_axes")) { own_axes = 0 }
if (!exists("own_scale")) { own_scale = 0 }
if (!exists("thin")) { thin = "beside" }
if (!exists("reference")) { reference = "bound" }
if (!exists("predicted")) { predicted = 0 }
if (!exists("marked")) { marked = 0 }

measures = ""; panels = ""; names = ""; log_x = 0; thins = 0; references = 0; x_title = ""
stats data using (measures = with_one(measures, strcol("measure")), panels = with_one(panels, strcol("panel")), names = with_one(names, strcol("series")), x_title = strcol("x-title"), log_x = int(column("log-x")), thins = thins + (strcol("role") eq "thin"), references = references + (strcol("role") eq "reference"), 1) nooutput
across = words(panels) < columns ? words(panels) : columns
down = (words(panels) + across - 1) / across
width = 1000
# The legend, panels with title and tics, and the title of the last horizontal axis.
entries = words(names) + (thins > 0) + (references > 0) + predicted
# Long names leave room for three columns only.
head = own_axes ? 26.0 : entries > 8 ? 30.0 + 15.0 * ((entries + 2) / 3) : 66.0
tall = own_axes ? 240.0 : 220.0
height = int(head + down * words(measures) * tall + 34)
load "style.gp"
# A line has a gap where a number is missing.
set datafile missing

in_panel(x) = strcol("measure") eq the_measure && strcol("panel") eq the_panel
mine(s, role) = in_panel(0) && strcol("series") eq s && strcol("role") eq role
counts(x) = strcol("measure") eq the_measure && (!(own_axes || own_scale) || strcol("panel") eq the_panel)
dash_of(s) = int(word("1 2 4 5 8", 1 + (place_of(s) + 4) % 5))
has_role(s, role) = strstrt(roles, quoted(s."/".role)) > 0

roles = ""; refused = ""
stats data using (roles = with_one(roles, strcol("series")."/".strcol("role")), strcol("mark") eq "full" ? refused = with_one(refused, strcol("series")) : "", 1) nooutput
all_names = names

# In pixels: the height of a panel's frame is what its title, tics and axis title leave.
set multiplot layout down * words(measures), across \
    margins 0.08, 0.985, 52.0 / height, 1 - head / height spacing 0.06, (own_axes ? 70.0 : 56.0) / height
do for [m=1:words(measures)] { do for [p=1:down * across] {
    if (p > words(panels)) { set multiplot next } else {
    the_measure = word(measures, m)
    the_panel = word(panels, p)
    set xrange [*:*]
    set yrange [*:*]
    unset logscale
    unset label
    unset arrow

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
    # A bound far above all else does not set the scale.
    if (is_number(bound) && bound > highest && (is_log || bound < 2.5 * highest)) { highest = bound }
    if (is_log) {
        bottom = lowest / 1.5; top = highest * 1.5
        # Predictions rise to the right, which leaves room for a legend at the top left.
        if (predicted && own_axes) { top = top * 3 }
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
    stats data using (in_panel(0) && strlen(strcol("group")) ? (places = with_one(places, sprintf("%.12g", column("x"))), labels = with_one(labels, doubled(strcol("group"))), 1) : NaN) nooutput
    undefine STATS_*
    stats data using (in_panel(0) ? column("x") : NaN) nooutput
    from = exists("STATS_min") ? STATS_min : 0
    to = exists("STATS_max") ? STATS_max : 1
    if (words(places)) { set xtics ("" from); do for [t=1:words(places)] { set xtics add (word(labels, t) real(word(places, t))) } }
    if (log_x && from > 0) {
        apart = to > from ? (to / from) ** 0.06 : 2
        set logscale x
        set xrange [from / apart : to * apart]
    } else {
        apart = to > from ? (to - from) * 0.07 : 0.5
        set xrange [from - apart : to + apart]
    }
    set yrange [bottom : top]

    names = ""
    if (own_axes) { stats data using (in_panel(0) ? (names = with_one(names, strcol("series")), 1) : NaN) nooutput } else { names = all_names }
    set title the_panel offset 0, -0.7 font ",10"
    if (p % across == 1 || across == 1) { set ylabel the_measure offset 0.6,0 } else { unset ylabel }
    if (own_axes) { stats data using (in_panel(0) ? (x_title = strcol("below"), 1) : NaN) nooutput }
    if (own_axes || m == words(measures) && p + across > words(panels)) { set xlabel x_title offset 0, 0.5 } else { unset xlabel }
    if (own_axes) { set key bottom right inside opaque horizontal maxrows 3 Left reverse samplen 2.4 font ",9"; if (predicted) { set key top left } } else { if (m == 1 && p == 1) { eval legend_above; set key samplen 2.6 maxrows (entries > 8 ? (entries + 2) / 3 : 2) } else { unset key } }
    if (is_number(bound) && cut_off) { set label 1 sprintf("%s: up to %.3g", reference, bound) at graph 0.03, 0.94 left front font ",9" tc rgb "#666666" }
    undefine STATS_*
    stats data using (in_panel(0) ? column("base") : NaN) nooutput
    if (exists("STATS_max")) { set arrow 1 from graph 0, first STATS_max to graph 1, first STATS_max nohead lc rgb "#000000" lw 0.8 dt 2 back }

    # Crosses of several stores at the same place are drawn above one another.
    cross_place(s) = 0.035 + 0.07 * sum [k=1:words(refused)] (word(refused, k) eq s ? k - 1 : 0)
    cross(s) = is_log ? bottom * (top / bottom) ** cross_place(s) : bottom + (top - bottom) * cross_place(s)
    entry = !own_axes && m == 1 && p == 1 || own_axes
    main_of(i) = has_role(word(names, i), "main")
    level_of(i) = has_role(word(names, i), "level")
    plot \
        for [i=1:words(names)] data using (mine(word(names, i), "level") ? column("x") : NaN):(column("value-low")):(column("value-high")) \
            with filledcurves fs solid 0.25 noborder lc rgb "#999999" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "level") ? column("x") : NaN):(column("value")) \
            with lines lw 1.6 dt 2 lc rgb "#444444" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "reference") ? column("x") : NaN):(column("value")) \
            with lines lw 1.0 lc rgb "#555555" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "thin") ? column("x") : NaN):(column("value")) \
            with lines lw 1.4 dt 3 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && column("n") > 1 ? column("x") : NaN):(column("value-low")):(0):(column("value-high") - column("value-low")) \
            with vectors heads size screen 0.0025,90 lw 0.9 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") ? column("x") : NaN):(column("value")) \
            with lines lw 1.6 dt dash_of(word(names, i)) lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && (words(places) || marked) && !predicted ? column("x") : NaN):(column("value")) \
            with points pt point_of(word(names, i)) ps 1.0 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "measured") ? column("x") : NaN):(column("value")) \
            with points pt 6 ps 1.1 lw 1.6 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "overloaded" ? column("x") : NaN):(column("value")) \
            with points pt 7 ps 1.2 lc rgb "#ffffff" notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "overloaded" ? column("x") : NaN):(column("value")) \
            with points pt 6 ps 1.15 lw 1.6 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] data using (mine(word(names, i), "main") && strcol("mark") eq "full" ? column("x") : NaN):(cross(word(names, i))) \
            with points pt 2 ps 0.9 lw 2 lc rgb line_colour_of(word(names, i)) notitle, \
        for [i=1:words(names)] keyentry with linespoints lw 1.6 dt dash_of(word(names, i)) pt point_of(word(names, i)) ps ((words(places) || marked) && !predicted ? 1.0 : 0) lc rgb line_colour_of(word(names, i)) title (main_of(i) ? word(names, i) : ""), \
        for [i=1:words(names)] keyentry with lines lw 1.6 dt 2 lc rgb "#444444" title (level_of(i) ? word(names, i) : ""), \
        keyentry with points pt 6 ps 1.1 lw 1.6 lc rgb "#444444" title (predicted ? "measured here" : ""), \
        keyentry with lines lw 1.4 dt 3 lc rgb "#444444" title (thins ? thin : ""), \
        keyentry with lines lw 1.0 lc rgb "#555555" title (references ? reference : "")
} } }
unset multiplot
