# shellcheck shell=bash
#
# source_frames_of FILE: prints a line per stack in trace -U's output: the interpreter's frames,
# which are the lines that end with a source.
source_frames_of() { # FILE
	awk '/^[0-9]/ { if (seen++) print stack; stack = "" }
		/\)$/ && !/^[0-9]/ { sub(/^ +/, ""); stack = stack (stack ? " < " : "") $0 }
		END { print stack }' "$1"
}
