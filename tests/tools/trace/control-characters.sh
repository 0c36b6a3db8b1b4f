#!/bin/bash
# ring: first
source "$(dirname "$0")/../../lib.sh"

# A traced string cannot move the cursor, change colours or forge a line; --raw prints it unescaped.
probe="$TARGETS/values:show (length == 40) \"%s\", text"
run "$BIN/trace" "$probe" --exec -- "$TARGETS/values"
expect_status 0
expect_count 1 ' show +tab\\there\\nback\\\\slash \\x1b\[31mred\\x07 ä \\xff\\x80 \\xe2\\x80\\xae \\xc2\\x9b$' "$tool_out"
run "$BIN/trace" --raw "$probe" --exec -- "$TARGETS/values"
expect_status 0
grep -qaF "$(printf 'back\\slash \e[31mred\a \303\244 \377\200 \342\200\256 \302\233')" "$tool_out" || fail '--raw escapes it'

# Nor can the name of a program or a thread.
ln -s "$TARGETS/flood" "$T/"$'a\e[2Jb\nc'
run "$BIN/trace" --exec "$TARGETS/flood:flood \"x\"" -- "$T/"$'a\e[2Jb\nc' 1 1
expect_status 0
expect_line ' a\\x1b\[2Jb\\nc +flood +x$' "$tool_out"

# Nor can an error about it.
run "$BIN/trace" "$T/"$'no\ething:f'
expect_status 1
expect_equal "$(tr -d '\n' <"$tool_err" | tr -dc '\0-\37')" ''
