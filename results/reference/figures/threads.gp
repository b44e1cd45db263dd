# Overhead and speed with one thread, two threads, and frees by another thread.

name = "threads"
width = 1000
height = 760
load "style.gp"

panels = ""
# Panels that would be empty are left out.
stats data using (is_number(column("overhead")) ? (panels = with_one(panels, strcol("panel")), 1) : NaN) nooutput
columns = words(panels)
other_value = "refill"

set multiplot layout 2,columns margins 0.08,0.985,0.07,0.905 spacing 0.08,0.10
set xtics font ",9"
do for [p=1:columns] {
    set title word(panels, p) offset 0,-0.6
    if (p == 1) { set ylabel "overhead" } else { unset ylabel }
    call "bars.gp" word(panels, p) "overhead" "no" (p == 1 ? "yes" : "no")
}
do for [p=1:columns] {
    unset title
    if (p == 1) { set ylabel "second filling, operations/s" } else { unset ylabel }
    set format y "%.0s%c"
    call "bars.gp" word(panels, p) "refill" "no" "no"
}
unset multiplot
