# Time to map and to unmap a region over its size, by page size and threads.

name = "mapping-cost"
load "lines.gp"
