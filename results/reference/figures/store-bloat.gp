# Memory of stores ÷ live value bytes after the second filling.

name = "store-bloat"
width = 1000
height = 480
load "style.gp"

set lmargin at screen 0.065
set rmargin at screen 0.985
set tmargin at screen 0.9
set bmargin at screen 0.1
set ylabel "memory ÷ live value bytes"
call "bars.gp" "stores" "overhead" "yes" "yes"
