// Writes the JSON of a speedscope file.
#include "output/speedscope.h"

#include <map>

#include "base/format.h"
#include "output/json.h"

namespace uscope::output {
namespace {

using Numbers = std::map<std::string_view, size_t>;  // a name's index in the list of names

void append_frames(std::string &out, const std::vector<std::string_view> &names)
{
    JsonObject shared(out);
    append_json_array(shared.member("frames"), names, [](auto &to, std::string_view name) {
        JsonObject(to).add("name", name).end();
    });
    shared.end();
}

void append_samples(std::string &out, const std::vector<StackCount> &stacks, const Numbers &numbers)
{
    append_json_array(out, stacks, [&](auto &to, const StackCount &stack) {
        append_json_array(to, stack.frames, [&](auto &list, const Frame &frame) {
            append_format(list, "{}", numbers.at(frame.name));
        });
    });
}

}  // namespace

void append_speedscope(std::string &out, std::string_view name, std::string_view unit,
                       uint64_t value_of_one, const std::vector<StackCount> &stacks)
{
    Numbers numbers;
    std::vector<std::string_view> names;
    uint64_t total = 0;
    for (const StackCount &stack : stacks) {
        total += stack.count * value_of_one;
        for (const Frame &frame : stack.frames) {
            if (numbers.try_emplace(frame.name, names.size()).second)
                names.emplace_back(frame.name);
        }
    }
    JsonObject file(out);
    file.add("$schema", "https://www.speedscope.app/file-format-schema.json")
        .add("name", name)
        .add("exporter", "uscope");
    append_frames(file.member("shared"), names);
    append(file.member("profiles"), "[");
    JsonObject profile(out);
    profile.add("type", "sampled")
        .add("name", name)
        .add("unit", unit)
        .add("startValue", 0)
        .add("endValue", total);
    append_samples(profile.member("samples"), stacks, numbers);
    append_json_array(profile.member("weights"), stacks, [&](auto &to, const StackCount &stack) {
        append_format(to, "{}", stack.count * value_of_one);
    });
    profile.end();
    append(out, "]");
    file.end_line();
}

}  // namespace uscope::output
