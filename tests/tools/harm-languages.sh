#!/bin/bash
source "$(dirname "$0")/../harm/harm.bash"

# Fibers of PHP and Ruby and panics of Rust, with return probes on functions that they cross.
ways=(latencies)
scripts=$ROOT/tests/harm/scripts
if command -v php8.2 >/dev/null; then
	harmless_on PHP "$(realpath "$(command -v php8.2)")" 'zend_call_f*' php8.2 -n "$scripts/fibers.php"
fi
if command -v ruby3.1 >/dev/null; then
	library=$(library_of "$(command -v ruby3.1)" libruby)
	harmless_on Ruby "$library" 'rb_ary_each' ruby3.1 --disable-gems "$scripts/fibers.rb"
fi
if command -v rustc >/dev/null; then
	rustc -O -g -o "$T/panics" "$scripts/panics.rs"
	harmless_on Rust "$T/panics" '*panics*' "$T/panics"
fi
[ "$runs" -gt 0 ] || skip 'none of php8.2, ruby3.1 and rustc is installed'
all_harmless
