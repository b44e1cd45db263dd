# Postmark: time to completion and memory over threads.

name = "fig11"
load "lines.gp"
