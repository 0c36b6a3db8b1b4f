#!/bin/bash
source "$(dirname "$0")/../harm/harm.bash"

# Fibers of PHP and Ruby and panics of Rust, with return probes on functions that they cross.
ways=(latencies)
scripts=$ROOT/tests/harm/scripts
# Debian 12's or a newer one; they need no probes of their own.
if php=$(command -v php8.2 || command -v php8.4); then
	harmless_on PHP "$(realpath "$php")" 'zend_call_f*' "$php" -n "$scripts/fibers.php"
fi
if ruby=$(command -v ruby3.1 || command -v ruby3.3); then
	harmless_on Ruby "$(library_of "$ruby" libruby)" 'rb_ary_each' "$ruby" --disable-gems "$scripts/fibers.rb"
fi
if command -v rustc >/dev/null; then
	rustc -O -g -o "$T/panics" "$scripts/panics.rs"
	harmless_on Rust "$T/panics" '*panics*' "$T/panics"
fi
[ "$runs" -gt 0 ] || skip 'none of PHP, Ruby and rustc is installed'
all_harmless
