#!/bin/bash
# shares: bullseye
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/perl-stacks.bash"

# Perl 5.32.
debian_root bullseye perl
perl_stacks "${in_root[@]}" perl
