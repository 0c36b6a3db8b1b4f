// Writes the objects of the Trace Event Format.
#include "output/chrome_trace.h"

#include "base/format.h"
#include "output/escape.h"

namespace uscope::output {

void ChromeTrace::open_object(std::string_view phase)
{
    append(out_, has_objects_ ? ",\n" : "[\n");
    has_objects_ = true;
    append_format(out_, "{{\"ph\":\"{}\"", phase);
}

void ChromeTrace::write_ids(pid_t pid, pid_t tid)
{
    append_format(out_, ",\"pid\":{},\"tid\":{}", pid, tid);
}

void ChromeTrace::write_time(uint64_t ns)
{
    append_format(out_, ",\"ts\":{}.{:03}", ns / 1000, ns % 1000);
}

void ChromeTrace::write_name(std::string_view what, pid_t pid, pid_t tid, std::string_view name)
{
    open_object("M");
    write_ids(pid, tid);
    append_format(out_, ",\"name\":\"{}\",\"args\":{{\"name\":", what);
    append_json_string(out_, name);
    append(out_, "}}");
}

namespace {

// The class or module of "Job.run", "app::Job::run" or "App\\Job->run"; "" for "run".
std::string_view class_of(std::string_view name)
{
    name = name.substr(0, name.find('('));
    size_t end = name.find_last_of(".:>");
    if (end == name.npos || end == 0)
        return {};
    bool is_long = (name[end] == ':' && name[end - 1] == ':') || name[end] == '>';
    return name.substr(0, end - is_long);
}

}  // namespace

void ChromeTrace::begin(pid_t pid, pid_t tid, uint64_t ns, std::string_view name)
{
    open_object("B");
    write_ids(pid, tid);
    write_time(ns);
    append(out_, ",\"name\":");
    append_json_string(out_, name);
    if (std::string_view category = class_of(name); !category.empty()) {
        append(out_, ",\"cat\":");
        append_json_string(out_, category);
    }
    append(out_, "}");
}

void ChromeTrace::end(pid_t pid, pid_t tid, uint64_t ns)
{
    open_object("E");
    write_ids(pid, tid);
    write_time(ns);
    append(out_, "}");
}

void ChromeTrace::instant(pid_t pid, pid_t tid, uint64_t ns, std::string_view name)
{
    open_object("i");
    write_ids(pid, tid);
    write_time(ns);
    append(out_, ",\"s\":\"t\",\"name\":");
    append_json_string(out_, name);
    append(out_, "}");
}

void ChromeTrace::finish()
{
    append(out_, has_objects_ ? "\n]\n" : "[]\n");
}

}  // namespace uscope::output
