# What an interpreter does all day: words into hashes, lists of hashes, strings that grow, sorting,
# substitution. The same every time.
use strict;
use warnings;

my $state = 42;
sub below {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    return int($state / 65536) % $_[0];
}

my (%count, %after, @lines);
for my $number (1 .. 12_000) {
    my @words = map { join '', map { chr(97 + below(below(26) + 1)) } 0 .. 1 + below(9) } 0 .. below(12);
    my $line = join ' ', @words;
    $count{$_}++ for @words;
    push @{ $after{ $words[$_ - 1] } }, $words[$_] for 1 .. $#words;
    push @lines, { number => $number, text => $line, words => \@words };
    # A window of lines lives; most go, some stay.
    shift @lines if @lines > 2_000;
    splice @lines, below(scalar @lines), 1 if below(3) == 0;
}
my $text = '';
for my $line (@lines) {
    (my $changed = $line->{text}) =~ s/([aeiou])([a-z])/$2$1/g;
    $text .= sprintf "%6d %s\n", $line->{number}, ucfirst $changed;
}
my @common = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 99];
delete $after{$_} for grep { $count{$_} < 3 } keys %after;
printf "%d %d %d %s\n", length $text, scalar keys %count, scalar keys %after, $common[0];
