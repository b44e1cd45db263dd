# Memory of stores ÷ live value bytes after the second filling.

name = "store-bloat"
if (!exists("data")) { data = name.".tsv" }
load "lists.gp"
all_series = ""
stats data using (is_number(column("overhead")) && strcol("panel") eq "stores" ? (all_series = with_one(all_series, strcol("series")), 1) : NaN) nooutput
more = legend_more(words(all_series))
width = 1000
height = int(480 + more)
load "style.gp"

set lmargin at screen 0.065
set rmargin at screen 0.985
set tmargin at screen 1 - (48.0 + more) / height
set bmargin at screen 48.0 / height
set ylabel "memory ÷ live value bytes"
call "bars.gp" "stores" "overhead" "yes" "yes"
