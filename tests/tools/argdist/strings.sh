#!/bin/bash
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/argdist.bash"

# -z truncates strings and marks them; unreadable strings are a key of their own; control characters
# are escaped.
values=$TARGETS/values
gather "$values" -- -z 5 -C "p:$values:show(char *text):char*:text"
expect_equal "$(rows)" '1 text = 
1 text = NULL
1 text = abcde...
1 text = oct
1 text = octi
1 text = octif...
1 text = tab\th...
1 text = with
2 text = <unreadable: Bad address>'

gather "$values" -- -z 240 -C "p:$values:show(char *text, size_t n):char*:text:n > 1000"
expect_equal "$(rows | tr -d '\n' | wc -c)" $((9 + 240 + 3))

# Counted strings and bytes.
gather "$values" -- -C "p:$values:show(char *text, size_t n):char*,char *:str(text,3),buf(text, 8):n == 8"
expect_equal "$(rows)" '1 str(text,3) = oct, buf(text, 8) = octifest
1 str(text,3) = wit, buf(text, 8) = with\x00nul'
