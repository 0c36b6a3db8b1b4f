// Writes calls of threads for https://ui.perfetto.dev, chrome://tracing and speedscope, in the JSON
// array form of the "Trace Event Format", one object per line:
//
//     [
//     {"name":"thread_name","ph":"M","pid":181,"tid":182,"args":{"name":"worker"}},
//     {"name":"Job.run","cat":"Job","ph":"B","ts":1000.250,"pid":181,"tid":182},   a slice starts
//     {"ph":"E","ts":1042.000,"pid":181,"tid":182}                       the innermost one ends
//     ]
//
// Times are microseconds, with fractions. Within a thread they must not decrease, and each E ends
// the last B that is still open. Readers accept a file without the closing bracket, so the file is
// valid even if the program is killed while it writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace uscope::output {

class ChromeTrace {
  public:
    explicit ChromeTrace(std::string &out) : out_(out) {}

    void name_process(pid_t pid, std::string_view name)
    {
        write_name("process_name", pid, pid, name);
    }
    void name_thread(pid_t pid, pid_t tid, std::string_view name)
    {
        write_name("thread_name", pid, tid, name);
    }
    // The category is the class or module of the name, if it has one.
    void begin(pid_t pid, pid_t tid, uint64_t ns, std::string_view name);
    void end(pid_t pid, pid_t tid, uint64_t ns);
    // A point in time of a thread, such as when events were lost.
    void instant(pid_t pid, pid_t tid, uint64_t ns, std::string_view name);
    // Closes the array; writes an empty one if there were no events.
    void finish();

  private:
    void open_object(std::string_view phase);
    void write_ids(pid_t pid, pid_t tid);
    void write_time(uint64_t ns);
    void write_name(std::string_view what, pid_t pid, pid_t tid, std::string_view name);

    std::string &out_;
    bool has_objects_ = false;
};

}  // namespace uscope::output
