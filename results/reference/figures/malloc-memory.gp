# Resident memory and live bytes over the events of a trace, a panel for each trace.

name = "malloc-memory"
own_scale = 1
columns = 3
reference = "live bytes"
load "lines.gp"
