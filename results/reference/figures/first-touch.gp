# Inserts into resident memory and into memory touched first.

name = "first-touch"
load "bar-panels.gp"
