#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/perl-stacks.bash"

# In the stacks of a Perl program, Perl's functions replace the interpreter's loop.
need_command perl
perl_stacks perl
