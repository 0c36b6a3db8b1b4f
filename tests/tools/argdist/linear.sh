#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# Linear rows, signed and unsigned; values below and above the scale have their own rows.
flood=$TARGETS/flood
linear() { # WANTED SPECIFIER
	gather "$flood" 1 1000 -- -H "p:$flood:flood(long t, long n):$2"
	expect_equal "$2
$(buckets)" "$2
$1"
}
linear '-inf -101 399
-100 -51 50
-50 -1 50
0 49 50
50 99 50
100 inf 401' 'long:n - 500 lin(-100,100,50)'
linear '-inf -4 1
-3 -1 3' 'int:-n lin(-3, 0, 3):n < 5'
linear '-inf 99 99
100 149 50
150 199 50
200 249 50
250 299 50
300 inf 701' 'u32:n lin(100,300,50)'
# As an unsigned type, -1 is large; all unsigned values are above a scale that ends below zero.
linear '0 9 1
10 inf 1' 'u64:n - 2 lin(-10,10,10):n < 3'
linear '-10 inf 1000' 'u64:n lin(-20,-10,10)'
# The last row ends where the scale ends.
linear '990 996 7
997 999 3
1000 inf 1' 'int:n lin(990,1000,7):n >= 990'

# With keys, and all specifiers in one run.
gather "$flood" 1 1000 -- -H "p:$flood:flood(long t, long n):long,int:n%2,n lin(0,1000,500)" -H "p:$flood:flood(long t, long n):int:n lin(0,2000,1000)"
expect_equal "$(buckets)" '0 499 249
500 999 250
1000 inf 1
0 499 250
500 999 250
0 999 999
1000 1999 1'
expect_equal "$(grep -n '^n%2' "$tool_out" | cut -d: -f2)" 'n%2 = 0
n%2 = 1'
