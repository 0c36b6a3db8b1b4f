#!/bin/bash
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/flow.bash"

# Pythons built without probes in their own folders, like pyenv's and conda's: as a program, and as
# one with the interpreter in a library. Debian's Pythons are used, with the notes of their probes
# removed.
need_command jq gcc objcopy
debian_root trixie python3.13 libpython3.13
home() { # FOLDER
	export PYTHONHOME=$1
	mkdir -p "$1/bin" "$1/lib"
	cp -r "$root/usr/lib/python3.13" "$1/lib"
}
without_probes() { objcopy --remove-section=.note.stapsdt "$1" "$2"; } # FROM TO

home "$T/one"
without_probes "$root/usr/bin/python3.13" "$PYTHONHOME/bin/python3.13"
flow_python "${in_root[@]}" "$PYTHONHOME/bin/python3.13"
expect_no_line 'built without' "$tool_err"
stop_target KILL
rm "$T/lines"

home "$T/two"
library=$PYTHONHOME/lib/libpython3.13.so.1.0
without_probes "$root"/usr/lib/*/libpython3.13.so.1.0 "$library"
gcc -o "$PYTHONHOME/bin/python3.13" -x c - -x none "$library" -Wl,-rpath,"${library%/*}" \
	-Wl,--unresolved-symbols=ignore-all <<<'int Py_BytesMain(int, char **);
int main(int count, char **texts) { return Py_BytesMain(count, texts); }'
flow_python "${in_root[@]}" "$PYTHONHOME/bin/python3.13"
stop_target KILL

# In 3.11, only a probe reports returns: the tool says what still works.
unset PYTHONHOME
need_command /usr/bin/python3.11
without_probes /usr/bin/python3.11 "$T/python3.11"
start_target_and_wait "$T/python3.11" -uc 'import time; print("ready"); time.sleep(100)'
run "$BIN/uflow" "$target_pid"
expect_status 1
expect_line 'python3.11 was built without probes; .*; ucalls counts their calls, without times$' "$tool_err"
