styled = ""
colours = ''
patterns = ''
point_types = ''
dashes = ''
legend_px = 6.0
legend = ""
direct = 1; names_px = 0.0
all_names = ""
# Cells of user-defined suites, as heat maps or lines; the table says which. Bars need no script.

name = "grid"
if (!exists("data")) data = name.".tsv"
load "lists.gp"
drawing = ""
stats data using (drawing = strcol("drawing"), 1) nooutput
load (drawing eq "heat" ? "heat.gp" : "lines.gp")
