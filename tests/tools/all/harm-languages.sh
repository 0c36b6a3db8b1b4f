#!/bin/bash
source "$(dirname "$0")/../../harm/harm.bash"

# Fibers of PHP and Ruby and panics of Rust, with return probes on functions that they leave or
# switch from.
ways=(latencies)
scripts=$ROOT/tests/harm/scripts
if php=$(newest_program php); then # any build, with or without USDT probes
	harmless_on PHP "$(realpath "$php")" 'zend_call_f*' "$php" -n "$scripts/fibers.php"
fi
if ruby=$(newest_program ruby); then
	harmless_on Ruby "$(library_of "$ruby" libruby)" 'rb_ary_each' "$ruby" --disable-gems "$scripts/fibers.rb"
fi
if command -v rustc >/dev/null; then
	rustc -O -g -o "$T/panics" "$scripts/panics.rs"
	harmless_on Rust "$T/panics" '*panics*' "$T/panics"
fi
[ "$runs" -gt 0 ] || skip 'none of PHP, Ruby and rustc is installed'
all_harmless
