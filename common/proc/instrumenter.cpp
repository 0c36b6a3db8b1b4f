// Knows emulators, instrumenters and recorders by the paths of their files.
#include "proc/instrumenter.h"

#include <algorithm>
#include <iterator>

#include <fnmatch.h>

namespace uscope::proc {
namespace {

struct Known {
    const char *pattern;  // of the path
    std::string_view name;
};
constexpr Known programs[] = {
    {"*/valgrind/*", "valgrind"}, {"*/qemu-*", "qemu-user"},   {"*/box64", "box64"},
    {"*/box86", "box86"},         {"*/FEXInterpreter", "FEX"}, {"*/FEXLoader", "FEX"},
    {"*/pinbin", "Pin"},          {"*/drrun", "DynamoRIO"},    {"*/criu", "criu"},
};
// Programs of QEMU that do not translate code from mapped files: virtual machines, which translate
// only their own memory, and utilities.
constexpr Known not_translating[] = {
    {"*/qemu-system-*", ""}, {"*/qemu-kvm*", ""},
    {"*/qemu-img", ""},      {"*/qemu-io", ""},
    {"*/qemu-nbd", ""},      {"*/qemu-ga", ""},
    {"*/qemu-*-helper", ""}, {"*/qemu-storage-daemon", ""},
};
constexpr Known libraries[] = {
    {"*/libdynamorio.so*", "DynamoRIO"},
    {"*/frida-agent*.so", "Frida"},
    {"*/librrpreload.so", "rr"},
    {"*/libdmtcp.so*", "DMTCP"},
};

std::optional<std::string_view> find_among(const Known *begin, const Known *end,
                                           const std::string &path)
{
    auto found = std::find_if(begin, end, [&](const Known &known) {
        return fnmatch(known.pattern, path.c_str(), 0) == 0;
    });
    return found == end ? std::nullopt : std::optional(found->name);
}

}  // namespace

std::optional<std::string_view> instrumenter(std::string_view executable,
                                             const std::vector<Mapping> &mappings)
{
    std::string path(executable);
    bool is_excluded =
        find_among(std::begin(not_translating), std::end(not_translating), path).has_value();
    if (auto name = find_among(std::begin(programs), std::end(programs), path);
        name && !is_excluded)
        return name;
    for (const Mapping &mapping : mappings) {
        if (auto name = find_among(std::begin(libraries), std::end(libraries), mapping.path))
            return name;
    }
    return std::nullopt;
}

bool is_instrumenting_library(std::string_view name)
{
    return find_among(std::begin(libraries), std::end(libraries), "/" + std::string(name))
        .has_value();
}

}  // namespace uscope::proc
