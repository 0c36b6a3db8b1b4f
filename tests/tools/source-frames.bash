# shellcheck shell=bash
#
# source_frames_of FILE: what trace -U has shown, a line a stack: the frames of an interpreter, those lines that end with a source.
source_frames_of() { # FILE
	awk '/^[0-9]/ { if (seen++) print stack; stack = "" }
		/\)$/ && !/^[0-9]/ { sub(/^ +/, ""); stack = stack (stack ? " < " : "") $0 }
		END { print stack }' "$1"
}
