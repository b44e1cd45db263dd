# Resident ÷ live bytes of allocators under RAMCloud's patterns.

name = "ramcloud-patterns"
width = 1100
height = 480
load "style.gp"

set lmargin at screen 0.065
set rmargin at screen 0.985
set tmargin at screen 0.9
set bmargin at screen 0.125
set ylabel "resident ÷ live bytes"
set xtics font ",9"
call "bars.gp" "*" "overhead" "yes" "yes"
