// Titles and fields.
#include "probe/call_rows.h"

#include "base/format.h"
#include "output/escape.h"
#include "output/process_stacks.h"
#include "output/stack_fields.h"

namespace uscope::probe {

std::string call_title(const Calls &calls, bool between_events, const CallKey &key)
{
    if (between_events)
        return fmt::format("Events = {}", output::escaped(key.function));
    std::string process = output::escaped(key.comm);
    if (calls.by_process)
        process += fmt::format("{}{}", calls.by_comm ? " " : "", key.pid);
    if (!calls.by_function)
        return fmt::format("Process = {}", process);
    std::string title;
    append_format(title, "Function = {} [{}]", output::escaped(key.function), process);
    if (calls.by_stacks) {
        title.push_back('\n');
        output::append_frames(title, key.stack, {});
    }
    return title;
}

std::vector<output::Field<CallKey>> call_fields(const Calls &calls, bool between_events)
{
    using Field = output::Field<CallKey>;
    std::vector<Field> fields = {
        Field("func", &CallKey::function)
            .only_if(calls.by_function || between_events)
            .attribute("function"),
        Field("pid", &CallKey::pid).only_if(calls.by_process),
        Field("comm", &CallKey::comm).only_if(calls.by_comm),
    };
    if (calls.by_stacks)
        output::add_stack_fields(fields, &CallKey::stack);
    return fields;
}

}  // namespace uscope::probe
