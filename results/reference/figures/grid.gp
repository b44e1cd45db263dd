# Cells of user-defined suites, as heat maps, lines or bars; the table says which.

name = "grid"
settings = 1
if (!exists("data")) data = name.".tsv"
load "lists.gp"
drawing = ""
stats data using (drawing = strcol("drawing"), 1) nooutput
load (drawing eq "heat" ? "heat.gp" : drawing eq "bars" ? "bar-panels.gp" : "lines.gp")
