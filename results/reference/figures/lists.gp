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
# Parts of one panel, called `title (1 of 2)` or `1 of 2`, share their axes: this is what they have in common.
whole(title) = strlen(title) > 8 && title[strlen(title) - 5:strlen(title) - 2] eq " of " ? title[1:strlen(title) - 8] : (strlen(title) == 6 && title[2:5] eq " of " ? "" : title)
