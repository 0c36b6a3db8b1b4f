// Writes the objects of the Trace Event Format.
#include "output/chrome_trace.h"

#include "base/format.h"
#include "output/escape.h"

namespace uscope::output {

void ChromeTrace::start(std::string_view phase)
{
    append(out_, has_objects_ ? ",\n" : "[\n");
    has_objects_ = true;
    append_format(out_, "{{\"ph\":\"{}\"", phase);
}

void ChromeTrace::thread(pid_t pid, pid_t tid)
{
    append_format(out_, ",\"pid\":{},\"tid\":{}", pid, tid);
}

void ChromeTrace::time(uint64_t ns)
{
    append_format(out_, ",\"ts\":{}.{:03}", ns / 1000, ns % 1000);
}

void ChromeTrace::write_name(std::string_view what, pid_t pid, pid_t tid, std::string_view name)
{
    start("M");
    thread(pid, tid);
    append_format(out_, ",\"name\":\"{}\",\"args\":{{\"name\":", what);
    append_json_string(out_, name);
    append(out_, "}}");
}

void ChromeTrace::begin(pid_t pid, pid_t tid, uint64_t ns, std::string_view name)
{
    start("B");
    thread(pid, tid);
    time(ns);
    append(out_, ",\"name\":");
    append_json_string(out_, name);
    append(out_, "}");
}

void ChromeTrace::end(pid_t pid, pid_t tid, uint64_t ns)
{
    start("E");
    thread(pid, tid);
    time(ns);
    append(out_, "}");
}

void ChromeTrace::instant(pid_t pid, pid_t tid, uint64_t ns, std::string_view name)
{
    start("i");
    thread(pid, tid);
    time(ns);
    append(out_, ",\"s\":\"t\",\"name\":");
    append_json_string(out_, name);
    append(out_, "}");
}

void ChromeTrace::finish()
{
    append(out_, has_objects_ ? "\n]\n" : "[]\n");
}

}  // namespace uscope::output
