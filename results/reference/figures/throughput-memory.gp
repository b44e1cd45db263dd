# Throughput of stores above, resident ÷ live value bytes below.

name = "throughput-memory"
width = 1000
height = 720
load "style.gp"
interval = 1

set multiplot layout 2,1 margins 0.065,0.985,0.07,0.93 spacing 0.05,0.12
set ylabel "throughput, Mops/s"
call "bars.gp" "*" "mops" "no" "yes"
set ylabel "resident ÷ live value bytes"
call "bars.gp" "*" "overhead" "no" "no"
unset multiplot
