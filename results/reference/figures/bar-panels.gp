# All bar panels of a table, one below the other. The script sets `name`.
# Columns: those of bars.gp, and measure.

if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
# Skips panels that would be empty.
panels = ""; measures = ""; pairs = ""; all_series = ""
pair(m, p) = m." | ".p
stats data using (is_number(column("value")) ? (panels = with_one(panels, strcol("panel")), measures = with_one(measures, strcol("measure")), pairs = with_one(pairs, pair(strcol("measure"), strcol("panel"))), all_series = with_one(all_series, strcol("series")), 1) : NaN) nooutput
width = 1000
more = legend_more(words(all_series))
height = int(68 + more + 300.0 * words(pairs))
load "style.gp"

interval = 1
set multiplot layout words(pairs), 1 margins 0.068, 0.985, 50.0 / height, 1 - (60.0 + more) / height spacing 0.06, 64.0 / height
do for [m=1:words(measures)] { do for [p=1:words(panels)] {
    measure = word(measures, m)
    if (!strstrt(pairs, quoted(pair(measure, word(panels, p))))) { continue }
    set ylabel measure
    set title word(panels, p) offset 0, -0.7
    call "bars.gp" word(panels, p) "value" "no" (m == 1 && p == 1 ? "yes" : "no")
} }
unset multiplot
