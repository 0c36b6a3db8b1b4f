# Closures, die and eval, sorting by callbacks, regular expressions, local, formats, packing.
use strict; use warnings; use List::Util qw(reduce first shuffle); use Digest::MD5 qw(md5_hex);
my $sum = 17;
sub mix { $sum = ($sum * 31 + unpack '%32C*', "@_") % 1000000007 }
sub dive { my $depth = shift; die { at => $depth } if $depth == 0; local $_ = $depth; return 1 + dive($depth - 1) }
for my $depth (0 .. 15) { eval { mix dive($depth); 1 } or mix ref $@ ? $@->{at} + $depth : $@ }
my @values = map { $_ * 7919 % 101 } 1 .. 100;
mix sort { $a <=> $b } @values;
mix reduce { ($a * 3 + $b) % 1009 } @values;
mix first { $_ > 90 } @values;
eval { my @sorted = sort { die "compared\n" if $a == 50; $a <=> $b } @values; 1 } or mix $@;
(my $text = 'a1b22c333') =~ s/(\d+)/$1 * 2/ge; mix $text;
mix md5_hex('text'), pack('NnC', 1, 2, 3), sprintf '%05.2f|%-5s|%x', 3.14159, 'ab', 255;
my %count; $count{$_ % 13} .= $_ for @values; mix map { "$_=$count{$_}" } sort keys %count;
{ package Counted; my $left = 0; sub new { bless {} } sub DESTROY { $left++ } sub left { $left } }
for (1 .. 10) { my $object = Counted->new } mix Counted::left();
my $next = do { my $n = 0; sub { $n++ } }; mix map { $next->() } 1 .. 10;
OUTER: for my $i (1 .. 9) { for my $j (1 .. 9) { next OUTER if $j > $i; last OUTER if $i * $j > 40 } mix $i }
mix join ',', split /\s*;\s*/, 'a ; b;c';
print "perl $sum\n";
