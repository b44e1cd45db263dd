# The paper's rivals over threads, a panel for each distribution and mix.

name = "rivals"
reference = "roofline"
load "lines.gp"
