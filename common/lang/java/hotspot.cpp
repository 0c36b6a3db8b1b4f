// Finds the flags and the version of a JVM in structures that it describes (hotspot_fields.h).
// Since JDK 9, the flags are in:
//
//     JVMFlag.flags      static: a pointer to an array of JVMFlag
//     JVMFlag.numFlags   static: the number of its elements
//     JVMFlag._name      the name of an element
//     JVMFlag._addr      the address of its value
//
// The type is called Flag in JDK 8.
#include "lang/java/hotspot.h"

namespace uscope::lang {

std::optional<Hotspot> Hotspot::open(const Memory &memory)
{
    constexpr unsigned max_flags = 5000;
    HotspotFields fields(
        memory, {"Abstract_VM_Version", "VM_Version", "JavaThread", "Universe", "JVMFlag", "Flag"});
    auto pointed = [&](std::initializer_list<std::string> names) {
        return value(memory, 0, fields.any(names));
    };
    Hotspot jvm(memory, fields);
    jvm.version_ = pointed({"Abstract_VM_Version._s_vm_release", "VM_Version._s_vm_release"});
    jvm.heap_ = pointed({"Universe._collectedHeap"});
    jvm.flags_ = pointed({"JVMFlag.flags", "Flag.flags"});
    jvm.count_ = pointed({"JVMFlag.numFlags", "Flag.numFlags"});
    jvm.flag_name_ = fields.any({"JVMFlag._name", "Flag._name"});
    jvm.flag_address_ = fields.any({"JVMFlag._addr", "Flag._addr"});
    jvm.flag_bytes_ = fields.size({"JVMFlag", "Flag"});
    if (!jvm.version_ || !jvm.flags_ || !jvm.flag_bytes_ || jvm.count_ > max_flags)
        return std::nullopt;
    return jvm;
}

Version Hotspot::version() const
{
    Version version = Version::in(memory_.string(version_).value_or(""));
    // Until JDK 8, HotSpot had version numbers of its own, last 25.x; since JDK 9 it has those of
    // the JDK. 25.0 and 25+… are JDK 25; 25.5 to 25.5xx are JDK 8.
    constexpr unsigned hotspot_of_8 = 25, first_update_of_8 = 5;
    if (version.major == hotspot_of_8 && version.minor >= first_update_of_8)
        return {8, 0, version.minor};
    return version;
}

std::optional<uint64_t> Hotspot::thread_field(const std::string &name) const
{
    HotspotField found = fields_.any({"JavaThread." + name});
    return found.bytes ? std::optional(found.at) : std::nullopt;
}

std::map<std::string, bool> Hotspot::flags(const std::set<std::string> &names) const
{
    std::map<std::string, bool> found;
    if (!heap_)
        return found;  // it is still reading its command line: flags have their defaults
    for (uint64_t i = 0; i < count_ && found.size() < names.size(); i++) {
        uint64_t flag = flags_ + i * flag_bytes_;
        auto name = memory_.string(value(memory_, flag, flag_name_));
        if (!name || !names.contains(*name))
            continue;
        if (auto byte = memory_.read<uint8_t>(value(memory_, flag, flag_address_)))
            found.emplace(*name, *byte != 0);
    }
    return found;
}

}  // namespace uscope::lang
