// What every tool changes of its process, and a program that it starts must not inherit.
#pragma once

namespace uscope::run {

// Failed writes are errors instead of signals (a pipe that nobody reads any more, a file that may
// not grow); a mapped file that is cut while it is read ends the tool with a message. As many open
// files as the hard limit allows: each probe may take several, and the usual soft limit is low for
// the sake of programs that use select(). Signals that end the tool: attach/signals.h.
void take_settings();

// For a tool that attaches nothing: an end signal ends it as it does any program, without success.
void end_by_signals();

// As before take_settings(). May be called between fork() and exec().
void restore_settings();

}  // namespace uscope::run
