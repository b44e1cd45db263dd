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
