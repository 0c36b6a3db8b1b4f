#include "btf/functions.h"
#include "btf/types.h"

using namespace uscope;

// Looks up the members of a type and of its members, to a depth of 4, as expressions do.
static void look_into(const types::TypeRef &type, int depth)
{
    if (!type || depth > 4)
        return;
    look_into(type->target, depth + 1);
    if (!type->member_names)
        return;
    std::vector<std::string> names = type->member_names();
    names.resize(std::min<size_t>(names.size(), 4));
    for (const std::string &name : names) {
        if (auto member = type->find_member(name))
            look_into(member->type, depth + 1);
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    btf::find_functions(Bytes(data, size), {"two", "none"});
    std::string text(reinterpret_cast<const char *>(data), size);
    auto types = btf::Types::read(btf::File(text));
    if (!types)
        return 0;
    // Also reads the data as the types of a kernel module, with the same data as those of the
    // kernel.
    for (const auto &set : {types, btf::Types::read(btf::File(text), types)}) {
        for (const char *name : {"two", "none", "read"}) {
            if (auto info = set->find_function(name)) {
                look_into(info->return_type, 0);
                for (const auto &parameter : info->parameters)
                    look_into(parameter.type, 0);
            }
        }
        for (const char *name : {"struct file", "file", "union u", "enum e", "int"})
            look_into(set->find_type(name), 0);
    }
    return 0;
}
