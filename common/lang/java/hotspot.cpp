// HotSpot describes its own structures in two exported arrays, for its Serviceability Agent, which
// reads them from another process. They have had the same form since JDK 6:
//
//     gHotSpotVMStructs   {type name, field name, field's type, is static, offset, address} …
//     gHotSpotVMTypes     {type name, superclass, …, size} …
//
// Exported variables hold the offsets of an entry's parts and the distance between entries
// (gHotSpotVMStructEntryTypeNameOffset …). An entry without a type name ends the array. These
// entries lead to the flags:
//
//     {"JVMFlag", "flags", …, static, address A}     *A is an array of JVMFlag
//     {"JVMFlag", "numFlags", …, static, address N}  with *N elements
//     {"JVMFlag", "_name", offset 8}                 each with a name
//     {"JVMFlag", "_addr", offset 0}                 and the address of its value
//     {"JVMFlag", size 24}
//
// The type is called Flag in JDK 8. This works on JDKs without symbol tables.
#include "lang/java/hotspot.h"

#include "lang/java/hotspot_tables.h"

namespace uscope::lang {
namespace {

constexpr unsigned most_flags = 5000;

bool is_flag_type(const std::string &type)
{
    return type == "JVMFlag" || type == "Flag";
}

}  // namespace

std::optional<Hotspot> Hotspot::open(const Memory &memory)
{
    Hotspot jvm(memory);
    HotspotTable structs(memory, "gHotSpotVMStructs", "gHotSpotVMStructEntry");
    uint64_t field = structs.part("FieldNameOffset"), offset = structs.part("OffsetOffset"),
             address = structs.part("AddressOffset");
    structs.each([&](const std::string &type, uint64_t entry) {
        bool is_version = type == "Abstract_VM_Version" || type == "VM_Version";
        bool is_thread = type == "JavaThread", is_universe = type == "Universe";
        if (!is_version && !is_thread && !is_universe && !is_flag_type(type))
            return;
        std::string name = structs.text(entry + field).value_or("");
        auto pointed = [&] {
            uint64_t at = memory.read<uint64_t>(entry + address).value_or(0);
            return memory.read<uint64_t>(at).value_or(0);
        };
        if (is_thread)
            jvm.thread_fields_[name] = memory.read<uint64_t>(entry + offset).value_or(0);
        else if (is_version && name == "_s_vm_release")
            jvm.version_ = pointed();
        else if (is_universe && name == "_collectedHeap")
            jvm.heap_ = pointed();
        else if (name == "flags")
            jvm.flags_ = pointed();
        else if (name == "numFlags")
            jvm.count_ = pointed();
        else if (name == "_name")
            jvm.name_offset_ = memory.read<uint64_t>(entry + offset).value_or(0);
        else if (name == "_addr")
            jvm.address_offset_ = memory.read<uint64_t>(entry + offset).value_or(0);
    });
    HotspotTable types(memory, "gHotSpotVMTypes", "gHotSpotVMTypeEntry");
    uint64_t size = types.part("SizeOffset");
    types.each([&](const std::string &type, uint64_t entry) {
        if (is_flag_type(type))
            jvm.flag_bytes_ = memory.read<uint64_t>(entry + size).value_or(0);
    });
    if (!jvm.version_ || !jvm.flags_ || !jvm.flag_bytes_ || jvm.count_ > most_flags)
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
    auto found = thread_fields_.find(name);
    return found == thread_fields_.end() ? std::nullopt : std::optional(found->second);
}

std::map<std::string, bool> Hotspot::flags(const std::set<std::string> &names) const
{
    std::map<std::string, bool> found;
    if (!heap_)
        return found;  // it is still reading its command line: flags have their defaults
    for (uint64_t i = 0; i < count_ && found.size() < names.size(); i++) {
        uint64_t flag = flags_ + i * flag_bytes_;
        uint64_t at = memory_.read<uint64_t>(flag + name_offset_).value_or(0);
        auto name = at ? memory_.string(at) : std::nullopt;
        if (!name || !names.contains(*name))
            continue;
        auto value = memory_.read<uint64_t>(flag + address_offset_);
        if (auto byte = value ? memory_.read<uint8_t>(*value) : std::nullopt)
            found.emplace(*name, *byte != 0);
    }
    return found;
}

}  // namespace uscope::lang
