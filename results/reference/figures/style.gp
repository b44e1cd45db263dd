# Common to all figures. A figure's script sets `name`, `width` and `height` and loads this.
# `data`, `out` and `terminal` may be given with -e; `gnuplot NAME.gp` alone draws NAME.svg.

if (!exists("terminal")) terminal = "svg"
if (!exists("data")) data = name.".tsv"
if (!exists("out")) out = name.".".terminal

load "lists.gp"
set encoding utf8
if (terminal eq "svg") {
    set terminal svg size width,height dynamic noenhanced background "#ffffff" font "DejaVu Sans,Helvetica,Arial,sans-serif,11"
} else { if (terminal eq "pdf") {
    set terminal pdfcairo size width/96.0,height/96.0 noenhanced font "DejaVu Sans,8"
} else {
    set terminal pngcairo size width,height noenhanced background "#ffffff" font "DejaVu Sans,9"
} }
set output out

# Each system looks the same in every figure: colour, fill pattern (3 is solid), point type. Light
# and dark, solid and hatched alternate in alphabetical order, so that neighbours differ in grey,
# too. A store over an allocator looks like that allocator.
$SYSTEMS << EOD
glibc             #4d4d4d  3   5
gperftools        #2e8b57  4   1
jemalloc          #d55e00  3   7
mimalloc          #0057a8  5   9
rpmalloc          #f2d130  3  11
scudo             #7b3294  1   2
snmalloc          #5b9bc8  3  13
tcmalloc          #8c510a  6   3
nibble            #b0003a  3  15
nibble-log-only   #b0003a  4  14
hashmap           #bdbdbd  3  12
btree             #1b9e77  2  11
nibble@update=in-place  #ef8fa8  4  13
null              #666666  0   4
mica              #1f78b4  3   9
mica@preset=nibble-paper  #0057a8  5   9
mica-erew         #56b4e9  6  13
mica-crew         #5b9bc8  1  12
mica-handover     #8da0cb  2   8
mica-cache        #7b3294  4   2
ramcloud          #e69f00  5   5
ramcloud@instances=2  #8c510a  4   4
masstree:glibc    #66c2a5  4  10
masstree:jemalloc  #1b9e77  2  11
masstree:mimalloc  #00664a  6   8
dashmap:jemalloc  #0072b2  5   9
papaya:jemalloc   #009e73  2   1
scc:jemalloc      #e69f00  4   5
striped:jemalloc  #56b4e9  6  13
skiplist:jemalloc  #cc79a7  1  12
rocksdb           #0057a8  5   9
leveldb           #e69f00  4   5
lmdb              #7b3294  1   2
redis             #d55e00  6   6
redis@servers=2   #d55e00  6   6
redis@server=valkey@servers=2  #4d4d4d  3   5
redis@preload=jemalloc@server=valkey@servers=2  #e69f00  4   7
redis@preload=mimalloc@server=valkey@servers=2  #0057a8  5   9
text              #bdbdbd  3   4
keyed             #5b9bc8  5   9
tagged            #b0003a  3   7
EOD
# For systems that are not in the table, by their position in the figure.
$OTHERS << EOD
-  #7f7f7f  7   8
-  #a0a0a0  2  10
-  #1b9e77  5   6
-  #c994c7  3   4
-  #666600  4  12
EOD
# Series of settings, if a script sets `settings = 1`: distinguishable for colour-blind readers and
# in grey.
$SETTINGS << EOD
-  #0072b2  3   7
-  #e69f00  5   5
-  #009e73  4   9
-  #cc79a7  1  11
-  #56b4e9  6  13
-  #000000  2   2
-  #d55e00  3   4
-  #7f7f7f  7   8
EOD
if (!exists("settings")) { settings = 0 }

part_after(s, mark) = strstrt(s, mark) ? s[strstrt(s, mark) + 1 : *] : s
ends_with(s, end) = strlen(s) > strlen(end) && s[strlen(s) - strlen(end) + 1 : *] eq end
without(s, end) = ends_with(s, end) ? s[1 : strlen(s) - strlen(end)] : s
# `heapstore:jemalloc` is styled as `jemalloc`, `nibble all-in` as `nibble`, `nibble [a]` as `nibble`;
# a store on a heap that has a line of its own as that.
unmarked(s) = strstrt(s, " [") ? s[1 : strstrt(s, " [") - 1] : s
base(s) = ends_with(unmarked(s), " log-only") ? without(unmarked(s), " log-only")."-log-only" : without(unmarked(s), " all-in")
line_of(s) = sum [k=1:|$SYSTEMS|] (word($SYSTEMS[k], 1) eq s ? k : 0)
found(s) = line_of(base(s)) ? line_of(base(s)) : line_of(part_after(base(s), ":"))
row(s, i) = settings ? $SETTINGS[1 + (i + |$SETTINGS| - 1) % |$SETTINGS|] : found(s) ? $SYSTEMS[found(s)] : $OTHERS[1 + (i + |$OTHERS| - 1) % |$OTHERS|]
# `names`, all series of the figure, is set by each script: the place of a system that is not in
# the table must be the same in every panel.
place_of(s) = sum [k=1:words(names)] (word(names, k) eq s ? k : 0)
colour_of(s)  = word(row(s, place_of(s)), 2)
# Colours of areas that are too light for a line are darker as one.
for_line(c) = c eq "#bdbdbd" ? "#8c8c8c" : c eq "#f2d130" ? "#a88f00" : c
line_colour_of(s) = for_line(colour_of(s))
pattern_of(s) = int(word(row(s, place_of(s)), 3))
point_of(s)   = int(word(row(s, place_of(s)), 4))

# Where an axis ends: at the highest value, or, where a few stand far above the rest, earlier.
axis_end(highest, upper_quartile) = highest > 4 * upper_quartile ? 2.5 * upper_quartile : highest
# Not a number stays what it is.
least(a, b) = a > b ? b : a

set border 3 lc rgb "#444444"
set tics nomirror out scale 0.5
set grid ytics lc rgb "#dddddd" lw 0.7
set style fill solid border lc rgb "#222222"
set key noenhanced samplen 1.6
# A distance between tics: 1, 2 or 5 times a power of ten, some three of them in `length`.
decade(x) = 10.0**floor(log10(x))
tidy(x) = x < 1.5 * decade(x) ? decade(x) : x < 3.5 * decade(x) ? 2 * decade(x) : x < 7.5 * decade(x) ? 5 * decade(x) : 10 * decade(x)
tics_apart(length) = length > 0 ? tidy(length / 3.0) : 1
# Error bars.
set style arrow 9 heads size screen 0.0025,90 lc rgb "#000000" lw 1.1
# In tic labels a per cent sign begins a format; long sizes take two lines.
doubled(s) = strstrt(s, "%") ? s[1 : strstrt(s, "%")]."%".doubled(s[strstrt(s, "%") + 1 : *]) : s
folded_at(s, mark, kept, begin) = s[1 : strstrt(s, mark) - 1].kept."\n".begin.s[strstrt(s, mark) + strlen(mark) : *]
folded(s) = strlen(s) <= 18 ? s : strstrt(s, " → ") ? folded_at(s, " → ", "", "→ ") : strstrt(s, ", ") ? folded_at(s, ", ", ",", "") : s
# Above all panels, filled column by column.
legend_above = "set key at screen 0.5,0.99 center top vertical maxrows 2 Left reverse"
