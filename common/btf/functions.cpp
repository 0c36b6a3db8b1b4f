// Reads the records twice: first to find the functions, then to count their prototypes' parameters.
#include "btf/functions.h"

#include <algorithm>
#include <cstring>

#include "btf/format.h"

namespace uscope::btf {
namespace {

// Returns the offset of the string `name` in `strings`; 0 if it is not there (the empty string is
// at 0).
uint32_t find_string(Bytes strings, const std::string &name)
{
    if (strings.empty())
        return 0;
    std::string whole = '\0' + name + '\0';
    auto *found = static_cast<const uint8_t *>(
        memmem(strings.data(), strings.size(), whole.data(), whole.size()));
    return found ? found + 1 - strings.data() : 0;
}

}  // namespace

std::vector<std::optional<Function>> find_functions(Bytes btf,
                                                    const std::vector<std::string> &names)
{
    std::vector<std::optional<Function>> functions(names.size());
    auto parts = sections(btf);
    if (!parts)
        return functions;

    std::vector<uint32_t> wanted;
    for (const std::string &name : names)
        wanted.push_back(find_string(parts->strings, name));
    std::vector<std::optional<Record>> found(names.size());
    uint32_t last_prototype = 0;
    each_record(parts->types, 1, [&](uint32_t number, const Record &type, uint64_t) {
        if (type.kind() != Kind::Function || type.name == 0)
            return true;
        auto match = std::find(wanted.begin(), wanted.end(), type.name);
        if (match == wanted.end())
            return true;
        size_t i = match - wanted.begin();
        found[i] = type;
        functions[i] = Function{.id = number};
        last_prototype = std::max(last_prototype, type.type);
        return std::find(found.begin(), found.end(), std::nullopt) != found.end();
    });
    each_record(parts->types, 1, [&](uint32_t number, const Record &type, uint64_t) {
        for (size_t i = 0; i < found.size(); i++) {
            if (found[i] && found[i]->type == number && type.kind() == Kind::Prototype)
                functions[i]->parameters = type.members();
        }
        return number < last_prototype;
    });
    return functions;
}

}  // namespace uscope::btf
