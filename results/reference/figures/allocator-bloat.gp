# Resident ÷ live bytes of allocators after the second filling: as they come, and tuned.

name = "allocator-bloat"
width = 1000
height = 820
load "style.gp"

panels = ""
# Panels that would be empty are left out.
stats data using (is_number(column("overhead")) ? (panels = with_one(panels, strcol("panel")), 1) : NaN) nooutput
has_tuned = strstrt(panels, quoted("tuned")) > 0
has_default = strstrt(panels, quoted("default")) > 0

set ylabel "resident ÷ live bytes"
set multiplot layout has_tuned + has_default,1 margins 0.065,0.985,0.065,0.915 spacing 0.05,0.12
if (has_default) {
    set title "default settings" offset 0,-0.6
    call "bars.gp" "default" "overhead" "yes" "yes"
}
if (has_tuned) {
    set title "tuned variants" offset 0,-0.6
    call "bars.gp" "tuned" "overhead" "yes" (has_default ? "no" : "yes")
}
unset multiplot
