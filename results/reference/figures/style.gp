# Common to all figures. A figure's script sets `name`, `width` and `height` and loads this.
# `data`, `out` and `terminal` may be given with -e; `gnuplot NAME.gp` alone draws NAME.svg.

if (!exists("terminal")) terminal = "svg"
if (!exists("data")) data = name.".tsv"
if (!exists("out")) out = name.".".terminal

load "lists.gp"
set encoding utf8
if (terminal eq "svg") {
    set terminal svg size width,height dynamic noenhanced background "#ffffff" font "DejaVu Sans,Helvetica,Arial,sans-serif,11"
} else { if (terminal eq "pdf") {
    # Sizes are told in pixels: three quarters of a point each. The cairo terminals draw 4/3 of the size.
    set terminal pdfcairo size width/96.0,height/96.0 noenhanced font "DejaVu Sans,11" fontscale 0.5625
} else {
    set terminal pngcairo size width,height noenhanced background "#ffffff" font "DejaVu Sans,11" fontscale 0.75
} }
set output out

# How each series looks. The lists stand at the head of a figure's script: made for its table, by the
# registry of styles.
if (!exists("styled")) { styled = ""; colours = ""; patterns = ""; point_types = ""; dashes = "" }
place_of(s) = sum [k=1:words(styled)] (word(styled, k) eq s ? k : 0)
look(list, s, other) = place_of(s) ? word(list, place_of(s)) : other
colour_of(s) = look(colours, s, "#4d4d4d")
pattern_of(s) = int(look(patterns, s, "3"))
point_of(s) = int(look(point_types, s, "7"))
dash_of(s) = int(look(dashes, s, "1"))

# Where an axis ends: at the highest value, or, where a few stand far above the rest, earlier.
axis_end(highest, upper_quartile) = highest > 4 * upper_quartile ? 2.5 * upper_quartile : highest
# Not a number stays what it is.
least(a, b) = a > b ? b : a

set border 3 lc rgb "#444444"
set tics nomirror out scale 0.5
set grid ytics lc rgb "#dddddd" lw 0.7
set style fill solid border lc rgb "#222222"
set key noenhanced samplen 1.6
# A distance between tics: 1, 2 or 5 times a power of ten, some three of them in `length`.
decade(x) = 10.0**floor(log10(x))
tidy(x) = x < 1.5 * decade(x) ? decade(x) : x < 3.5 * decade(x) ? 2 * decade(x) : x < 7.5 * decade(x) ? 5 * decade(x) : 10 * decade(x)
tics_apart(length) = length > 0 ? tidy(length / 3.0) : 1
# Error bars.
set style arrow 9 heads size screen 0.0025,90 lc rgb "#000000" lw 1.1
# In tic labels a per cent sign begins a format.
doubled(s) = strstrt(s, "%") ? s[1 : strstrt(s, "%")]."%".doubled(s[strstrt(s, "%") + 1 : *]) : s
# A legend of gnuplot's own above all panels, of scripts whose legend is the same for every table.
legend_above = "set key at screen 0.5,0.99 center top vertical maxrows 2 Left reverse"
