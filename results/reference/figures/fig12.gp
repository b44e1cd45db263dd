# Postmark: time to completion and memory over the fill.

name = "fig12"
load "lines.gp"
