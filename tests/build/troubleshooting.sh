#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"

# The sources have each message of docs/troubleshooting.md: the parts between its … follow each
# other. Strings that the compiler joins are joined here, too.
cat "$ROOT"/common/*/*.cpp "$ROOT"/common/*/*.h "$ROOT"/tools/*.cpp "$ROOT"/tools/*/*.cpp |
	sed -E 's/^ +//; s/\\"/"/g' | tr '\n' ' ' | sed 's/" "//g' >"$T/sources"
messages=0
while IFS= read -r message; do
	messages=$((messages + 1))
	pattern=$(sed -E 's/[][().*^$+?{}|\\]/\\&/g; s/ *… */.{1,120}/g; s/\.\{1,120\}$//' <<<"$message")
	grep -qE "$pattern" "$T/sources" || fail "no source has the message: $message"
done < <(sed -nE 's/^\| `([^`]*)` \|.*/\1/p' "$ROOT/docs/troubleshooting.md")
[ "$messages" -ge 5 ] || fail "only $messages messages"
