#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# The text of histograms is BCC's, byte for byte; with keys, each has its key above it.
flood=$TARGETS/flood
gather "$flood" 1 20 -- -H "p:$flood:flood(long t, long n):long:n#numbers" -H "p:$flood:flood(long t, long n):int,long:n > 15,n" -H "r:$flood:flood()"
expect_equal "$(sed 1d "$tool_out")" '     numbers             : count     distribution
         0 -> 1          : 1        |*****                                   |
         2 -> 3          : 2        |**********                              |
         4 -> 7          : 4        |********************                    |
         8 -> 15         : 8        |****************************************|
        16 -> 31         : 5        |*************************               |

n > 15 = 1
     n                   : count     distribution
         0 -> 1          : 0        |                                        |
         2 -> 3          : 0        |                                        |
         4 -> 7          : 0        |                                        |
         8 -> 15         : 0        |                                        |
        16 -> 31         : 5        |****************************************|

n > 15 = 0
     n                   : count     distribution
         0 -> 1          : 1        |*****                                   |
         2 -> 3          : 2        |**********                              |
         4 -> 7          : 4        |********************                    |
         8 -> 15         : 8        |****************************************|
     retval              : count     distribution
         0 -> 1          : 0        |                                        |
         2 -> 3          : 2        |**********                              |
         4 -> 7          : 4        |********************                    |
         8 -> 15         : 8        |****************************************|
        16 -> 31         : 6        |******************************          |'

# Finer rows have percentiles.
gather "$flood" 1 1000 -- --log-linear -H "p:$flood:flood(long t, long n):long:n"
expect_equal "$(buckets | awk '{ sum += $3 } END { print sum }')" 1000
expect_line '^p50 (49|50)[0-9]  p90 .*  p99 .*  p99.9 .*  max 1000$' "$tool_out"
[ "$(buckets | wc -l)" -gt 15 ] || fail 'the histogram has no finer rows'
