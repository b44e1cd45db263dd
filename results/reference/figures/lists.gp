# Reading tables, and lists of texts. A script that needs its table before it knows its size loads
# this itself, before style.gp.

set datafile separator "\t"
set datafile columnheaders
set datafile missing "NaN"

# A list of distinct texts, each in quotes, for word().
quoted(s) = '"'.s.'" '
with_one(list, s) = strstrt(list, quoted(s)) ? list : list.quoted(s)
# Not a number is not equal to itself.
is_number(x) = x == x

# A legend above for this many series: its rows, and the pixels beyond two rows.
legend_rows(n) = n <= 8 ? 2 : (n + 2) / 3
legend_more(n) = 15.0 * (legend_rows(n) - 2)
