#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/perl-stacks.bash"

# Perl 5.40, in libperl.so.
debian_root trixie perl
perl_stacks "${in_root[@]}" perl5.40-x86_64-linux-gnu
