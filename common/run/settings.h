// Settings that every tool changes for its own process, and that a command which the tool starts
// must not inherit.
#pragma once

namespace uscope::run {

// Makes these changes: If a pipe has no reader or a file has reached its size limit, write()
// returns an error, instead of a signal that ends the tool. If a mapped file is truncated while the
// tool reads it, the tool ends with a message. The limit of open files is raised to the hard limit:
// each probe may need several descriptors, and the usual soft limit is only low for the sake of
// programs that use select(). Signals that end the tool get handlers (attach/signals.h).
void take_settings();

// For tools that attach nothing: removes the handlers, so that signals kill the tool as they do any
// other program.
void end_by_signals();

// Undoes take_settings(). May be called between fork() and exec().
void restore_settings();

}  // namespace uscope::run
