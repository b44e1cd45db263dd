# All heat-map panels of a table: groups to the right, series upwards. The script sets `name`.
# Series and groups are listed in order.
# Columns: panel place order group series value value-low value-high absent best x-title y-title measure

if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
panels = ""; x_title = ""; the_measure = ""; most = 0
stats data using (panels = with_one(panels, strcol("panel")), x_title = strcol("x-title"), the_measure = strcol("measure"), most = column("order") > most ? column("order") : most, 1) nooutput
across = words(panels) < 2 ? 1 : 2
down = (words(panels) + across - 1) / across
width = 1000
# Two lines of text per field.
tall = 46.0 * (most + 1) + 74.0
height = int(30 + down * tall)
load "style.gp"

undefine STATS_*
stats data using (column("value")) nooutput
lowest = exists("STATS_min") ? STATS_min : 0
highest = exists("STATS_max") ? STATS_max : 1
if (!(highest > lowest)) { lowest = 0.9 * highest - 1e-9 }
# One colour from light to dark, so that it also reads well in grey.
set palette defined (0 "#f7fbff", 0.5 "#9ecae1", 1 "#2171b5")
unset colorbox
set cbrange [lowest : lowest + (highest - lowest) * 1.15]
set grid noxtics noytics
here(x) = strcol("panel") eq the_panel && is_number(column("value"))
is_dark(x) = column("value") > lowest + (highest - lowest) * 0.8
as = highest < 1 ? "%.3f" : highest < 100 ? "%.2f" : "%.0f"
said(x) = sprintf(as, column("value"))
ends(x) = column("n") > 1 ? sprintf(as." – ".as, column("value-low"), column("value-high")) : ""

set multiplot layout down, across margins 0.11, 0.985, 56.0 / height, 1 - 30.0 / height spacing 0.1, 74.0 / height
do for [p=1:words(panels)] {
    the_panel = word(panels, p)
    groups = ""; rows = ""; y_title = ""
    set xrange [*:*]
    set yrange [*:*]
    stats data using (strcol("panel") eq the_panel ? (groups = with_one(groups, strcol("group")), rows = with_one(rows, strcol("series")), y_title = strcol("y-title"), 1) : NaN) nooutput
    set xrange [-0.5 : words(groups) - 0.5]
    set yrange [-0.5 : words(rows) - 0.5]
    set xtics scale 0 ("" 0)
    set ytics scale 0 ("" 0)
    set title (strlen(the_panel) ? the_panel.": ".the_measure : the_measure) offset 0, -0.7
    set xlabel x_title offset 0, 0.3
    set ylabel y_title
    do for [g=1:words(groups)] { set xtics add (doubled(word(groups, g)) g - 1) }
    do for [r=1:words(rows)] { set ytics add (doubled(word(rows, r)) r - 1) }
    unset key
    plot \
        data using (here(0) ? column("place") : NaN):(column("order")):(0.49):(0.48):(column("value")) \
            with boxxyerror fs solid noborder fc palette notitle, \
        data using (here(0) && column("best") == 1 ? column("place") : NaN):(column("order")):(0.48):(0.465) \
            with boxxyerror fs empty border lc rgb "#000000" lw 2.6 lc rgb "#000000" notitle, \
        data using (here(0) && !is_dark(0) ? column("place") : NaN):(column("order") + 0.12):(said(0)) with labels tc rgb "#000000" font ",11" notitle, \
        data using (here(0) && is_dark(0) ? column("place") : NaN):(column("order") + 0.12):(said(0)) with labels tc rgb "#ffffff" font ",11" notitle, \
        data using (here(0) && !is_dark(0) ? column("place") : NaN):(column("order") - 0.22):(ends(0)) with labels tc rgb "#000000" font ",8" notitle, \
        data using (here(0) && is_dark(0) ? column("place") : NaN):(column("order") - 0.22):(ends(0)) with labels tc rgb "#ffffff" font ",8" notitle, \
        data using (strcol("panel") eq the_panel && !is_number(column("value")) ? column("place") : NaN):(column("order")):(strcol("absent")) with labels tc rgb "#555555" font ",9" notitle
}
unset multiplot
