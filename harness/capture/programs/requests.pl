# What one client asks of a server of the protocol of Redis: perl requests.pl CLIENT REQUESTS
# Few keys are asked for often; values are of many sizes, grow, and go. The same every time.
use strict;
use warnings;

my ($client, $requests) = @ARGV;
my $state = 1000 + $client;
sub below {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    return int($state / 65536) % $_[0];
}
sub ask {
    print '*' . @_ . "\r\n", map { '$' . length($_) . "\r\n$_\r\n" } @_;
}
# Mostly small, up to 16 KiB.
sub value { return chr(97 + below(26)) x (1 + below(1 << (4 + below(11)))) }

for (1 .. $requests) {
    my $key = 'key:' . below(1 + below(20_000));
    my $choice = below(100);
    if    ($choice < 40) { ask('SET', $key, value()) }
    elsif ($choice < 70) { ask('GET', $key) }
    elsif ($choice < 80) { ask('DEL', $key) }
    elsif ($choice < 88) { ask('HSET', "hash:" . below(500), 'field:' . below(60), value()) }
    elsif ($choice < 94) { ask('RPUSH', "list:" . below(200), value()) }
    elsif ($choice < 98) { ask('LPOP', "list:" . below(200)) }
    else                 { ask('DEL', "hash:" . below(500)) }
}
