styled = "\"get-hit\" \"get-miss\" \"insert\" \"overwrite\" \"delete\" \"delete-miss\""
colours = '#0072b2 #e69f00 #00664a #cc79a7 #333333 #d55e00'
patterns = '3 5 4 1 2 6'
point_types = '7 5 9 11 1 13'
dashes = '1 2 4 5 2 4'
# What operations do over the length of a trace, as shares on top of one another, a panel for each.
# Columns: panel series order x low high

name = "fig10b"
if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
panels = ""; names = ""
stats data using (panels = with_one(panels, strcol("panel")), names = with_one(names, strcol("series")), 1) nooutput
across = words(panels) < 2 ? 1 : 2
down = (words(panels) + across - 1) / across
width = 1000
head = 66.0
height = int(head + 240 * down + 34)
load "style.gp"

# What changes nothing is light, what changes objects is dark, and neighbours differ in grey.
fills = "#bdbdbd #e3e3e3 #0072b2 #9ecae1 #b0003a #f4c2c2"
here(s) = strcol("panel") eq the_panel && strcol("series") eq s
set xrange [0 : 100]
set yrange [0 : 100]
unset grid
set multiplot layout down, across margins 0.08, 0.985, 52.0 / height, 1 - head / height spacing 0.06, 56.0 / height
do for [p=1:words(panels)] {
    the_panel = word(panels, p)
    set title the_panel offset 0, -0.7 font ",10"
    if (p % across == 1 || across == 1) { set ylabel "operations, %" } else { unset ylabel }
    if (p + across > words(panels)) { set xlabel "% of the trace" offset 0,0.5 } else { unset xlabel }
    if (p == 1) { eval legend_above } else { unset key }
    plot for [i=1:words(names)] data using (here(word(names, i)) ? column("x") : NaN):(column("low")):(column("high")) \
        with filledcurves fs solid noborder lc rgb word(fills, i) title word(names, i)
}
unset multiplot
