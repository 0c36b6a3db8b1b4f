# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# perl_stacks COMMAND…: checks that Perl's frames are those that Perl itself reports. The program
# calls getppid() in all kinds of functions, and prints its own view of each stack, from caller():
# function (file:line), the newest first.
source "$ROOT/tests/tools/trace/stacks.bash"

write_perl_stacks() {
	cat >"$T/shapes.pl" <<'PROGRAM'
use strict; use warnings; use utf8; no warnings qw(void once);
use Config;
use List::Util qw(first reduce);
binmode STDOUT, ':utf8';
$| = 1;
my @wanted;
our ($a, $b);

# caller($i) returns the name of function i and where it was called.
sub stack {
    my @frames;
    for (my $i = 0; my @at = caller($i); $i++) {
        my @function = caller($i + 1);
        push @frames, ($function[3] // '<main>') . ' (' . $at[1] =~ s|.*/||r . ":$at[2])";
    }
    return join ' < ', @frames;
}
sub called {
    push @wanted, stack(); getppid;
    return $wanted[-1] =~ /__ANON__|\(eval [0-9]|(template\.html|required\.pl|done\.pl):/ ? seen() : 1;
}
# Perl may free closures, and code from an eval or a file, at once: wait until the tool has read
# their names. The tool writes a line with a number for each stack.
sub seen {
    for my $try (1 .. 10000) {
        open my $out, '<', $ARGV[0] or die;
        my $count = () = do { local $/; <$out> } =~ /^[0-9]/mg;
        return 1 if $count >= @wanted;
        select undef, undef, undef, 0.001;
    }
}

sub recurse {
    my ($n) = @_;
    return called() if $n == 0;
    recurse(
        $n - 1
    );
}
sub by_name { called(); $a <=> $b }
sub with_prototype(&@) { my $block = shift; $block->() for @_ }
sub größe { called() }
sub of_latin_1;
BEGIN { no strict 'refs'; no utf8; *{"caf\xe9"} = sub { called() } }

package Tied {
    sub TIESCALAR { main::called(); bless [] }
    sub FETCH { eval { main::called(); die 'thrown' }; main::called(); 7 }
    sub STORE {
        eval { main::recurse(1) };
    }
    sub TIEHASH { bless {} }
    sub EXISTS { eval "main::called()" or 1 }
    sub DESTROY { main::called() }
}
package Shape::Of::All {
    use overload '+' => sub { main::called(); 1 }, '""' => 'text', '<=>' => \&compare, 'bool' => sub { eval { main::called() }; 1 };
    our $AUTOLOAD;
    sub new { my $class = shift; main::called(); return bless {@_}, $class }
    sub text { main::recurse(1); 'text' }
    sub compare { main::called(); 0 }
    sub method { my $self = shift; main::called(); return sub { main::called() } }
    sub AUTOLOAD { return if $AUTOLOAD =~ /DESTROY/; main::called() }
    sub DESTROY { my $self = shift; eval { main::called() }; main::called() }
}
package Child {
    our @ISA = 'Shape::Of::All';
    sub method { my $self = shift; $self->SUPER::method() }
    *other_name = sub { main::called() };
    *alias = \&method;
}
package main;

sub jumps { goto &recurse }
sub loops {
    my @list = (1, 2);
    for my $x (@list) { { { foreach my $y (1) { my $z = $y; called() } } } }
    my $i = 0;
    while ($i < 2) {
        called();
        $i++
    }
    called() for 1;
    do { called() } until 1;
    if ($i == 9) {
        die;
    } else {
        my $x = called();
    }
}
sub evals {
    eval { called() };
    eval {
        eval { recurse(1); die 'x' };
        called();
    };
    eval "called();\n\ncalled(); sub made { called() } made()" or die;
    eval "#line 7 \"/srv/template.html\"\ncalled();\neval { called() }" or die;
    my $code = eval "\n\nsub { called(); 2 }" or die;
    $code->();
    local $SIG{__WARN__} = sub { called() };
    warn 'warned';
    local $SIG{__DIE__} = sub { called() };
    eval { die 'died' };
    my $length = 'aXbX' =~ s/X/called()/ger;
    'ab' =~ /a(?{ called() })b/;
    'ab' =~ /a(?{ recurse(1) })b/;
}
sub sorts {
    my @sorted = sort { $a <=> $b || called() } 1, 1;
    @sorted = sort {
        recurse(1);
        $a <=> $b
    } 2, 1;
    @sorted = sort by_name 2, 1;
    my $by = sub { called(); $a <=> $b };
    @sorted = sort $by 2, 1;
    @sorted = sort { eval { called() }; recurse(0) } 2, 1;
    @sorted = sort { my @inner = sort { recurse(1) } 4, 3; 0 } 2, 1;
    @sorted = sort { $a + $b } Shape::Of::All->new, 1;
}
sub run {
    called();
    recurse(7);
    loops();
    evals();
    sorts();
    größe();
    &{"main"->can("caf\xe9")}();
    jumps(2);
    my @list = map { called() } 1, 2;
    @list = grep { recurse(1) } 1;
    with_prototype { called() } 1;
    with_prototype {
        my $x = first { called() } 1, 2;
        $x = reduce { recurse(2) } 1, 2, 3;
    } 1;
    my $closure = do { my $n = 1; sub { $n++; my $inner = sub { called() + $n }; $inner->() } };
    $closure->();
    my $shape = Child->new(a => 1);
    $shape->method->();
    $shape->alias;
    $shape->other_name;
    $shape->absent;
    my $text = "$shape" . ($shape + 1);
    $text = $shape <=> 1;
    $text = 1 if $shape;
    undef $shape;
    {
        my $scoped = Shape::Of::All->new;
    }
    tie my $tied, 'Tied';
    my $value = $tied + 1;
    $tied = 1;
    $value = eval { $tied };
    tie my %hash, 'Tied';
    $value = exists $hash{x};
    untie $tied;
    untie %hash;
    { no strict 'refs'; &{'recurse'}(1) }
    require './required.pl';
    do './done.pl';
    local $SIG{USR1} = sub { called() };
    kill USR1 => $$;
    if ($Config{useithreads}) {
        require threads;
        my ($thread) = threads->create({context => 'list'}, sub { called(); recurse(2); return @wanted[-2, -1] });
        push @wanted, $thread->join;
    }
}
chdir $0 =~ s|/[^/]*$||r;
print "ready\n";
<STDIN>;
run();
called();
print "$_\n" for @wanted;
print "done\n";
<STDIN>;
PROGRAM
	cat >"$T/required.pl" <<'PROGRAM'

called();
package Loaded { sub of_file { main::recurse(1) } }
Loaded::of_file();
1;
PROGRAM
	cp "$T/required.pl" "$T/done.pl"
}

perl_stacks() { # COMMAND…
	write_perl_stacks
	trace_stacks c:getppid -- "$@" "$T/shapes.pl" "$T/seen"
	expect_line 'main::called .* < main::recurse .* < \(eval\) .* < Tied::STORE .* < main::run .* < <main> ' "$target_out"
	# caller() has no frame for the block of a sort: its code counts as that of its function.
	source_frames_of "$tool_out" >"$T/frames"
	sed -E ':a s/\(block\) (\([^)]*\)) < (\(eval\)|[^ ]+) \([^)]*\)/\2 \1/; ta' "$T/frames" >"$T/as-called"
	diff "$target_out" "$T/as-called" >&2 || fail "the frames differ from Perl's"
	expect_no_line 'too late|\[cut: [^n]' "$tool_out"
	expect_no_line 'runops' "$tool_out"
}
