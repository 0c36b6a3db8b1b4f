// Settings that every tool changes for its own process, and that a command it starts must not
// inherit.
#pragma once

namespace uscope::run {

// Makes failed writes errors instead of signals (a pipe without a reader, a file at its size
// limit). A mapped file that is truncated while the tool reads it ends the tool with a message.
// Raises the limit of open files to the hard limit: each probe may need several, and the usual soft
// limit is only low for programs that use select(). Handles signals that end the tool
// (attach/signals.h).
void take_settings();

// For tools that attach nothing: end signals kill the tool, as they kill any other program.
void end_by_signals();

// Undoes take_settings(). May be called between fork() and exec().
void restore_settings();

}  // namespace uscope::run
