// HotSpot describes its own structures in two exported arrays, for its Serviceability Agent, which
// reads them from another process. They have had the same form since JDK 6:
//
//     gHotSpotVMStructs   {type name, field name, field's type, is static, offset, address} …
//     gHotSpotVMTypes     {type name, superclass, …, size} …
//
// Exported variables hold the offsets of an entry's parts and the distance between entries
// (gHotSpotVMStructEntryTypeNameOffset …). An entry without a type name ends the array. This works
// on JDKs without symbol tables.
#include "lang/java/hotspot_fields.h"

namespace uscope::lang {
namespace {

uint8_t width_of(std::string_view type)
{
    constexpr uint8_t pointer = 8;
    constexpr std::pair<std::string_view, uint8_t> known[] = {
        {"int", 4}, {"u4", 4},   {"uint32_t", 4}, {"u2", 2},     {"int16_t", 2}, {"uint16_t", 2},
        {"u1", 1},  {"bool", 1}, {"long", 8},     {"size_t", 8}, {"address", 8}, {"uint64_t", 8}};
    for (auto [name, bytes] : known)
        if (type == name)
            return bytes;
    return pointer;  // or a structure
}

// One of the arrays: `kind` is "Struct" or "Type".
class Entries {
  public:
    Entries(const Memory &memory, const std::string &kind)
        : memory_(memory), kind_("gHotSpotVM" + kind)
    {
    }

    // Returns one of the variables with the offsets of an entry's parts or the distance between
    // entries, by the end of its name: "SizeOffset".
    uint64_t part(const std::string &name) const
    {
        return memory_.variable<uint64_t>(kind_ + "Entry" + name).value_or(0);
    }

    // The string to which the pointer at `address` points.
    std::optional<std::string> text(uint64_t address) const
    {
        return memory_.string(memory_.read<uint64_t>(address).value_or(0));
    }

    // Calls visit(type name, address of the entry) for the entries of these types.
    template <class Visit>
    void each(const std::set<std::string> &types, Visit &&visit) const
    {
        constexpr unsigned max = 20000;
        uint64_t entry = memory_.variable<uint64_t>(kind_ + "s").value_or(0);
        uint64_t stride = part("ArrayStride"), name = part("TypeNameOffset");
        for (unsigned i = 0; entry && stride && i < max; i++, entry += stride) {
            auto type = text(entry + name);
            if (!type)
                return;
            if (types.contains(*type))
                visit(*type, entry);
        }
    }

  private:
    const Memory &memory_;
    std::string kind_;
};

}  // namespace

std::optional<uint64_t> HotspotField::read(const Memory &memory, uint64_t base) const
{
    return bytes ? memory.number(base + at, bytes) : std::nullopt;
}

HotspotFields::HotspotFields(const Memory &memory, const std::set<std::string> &types)
{
    Entries structs(memory, "Struct");
    uint64_t field = structs.part("FieldNameOffset"), type_at = structs.part("TypeStringOffset"),
             is_static = structs.part("IsStaticOffset"), offset = structs.part("OffsetOffset"),
             address = structs.part("AddressOffset");
    structs.each(types, [&](const std::string &type, uint64_t entry) {
        std::string name = structs.text(entry + field).value_or("");
        uint8_t bytes = width_of(structs.text(entry + type_at).value_or(""));
        auto at = memory.read<uint64_t>(
            entry + (memory.read<uint32_t>(entry + is_static).value_or(0) ? address : offset));
        if (at)
            fields_[type + "." + name] = {*at, bytes};
    });
    Entries sizes(memory, "Type");
    uint64_t size = sizes.part("SizeOffset");
    sizes.each(types, [&](const std::string &type, uint64_t entry) {
        sizes_[type] = memory.read<uint64_t>(entry + size).value_or(0);
    });
}

HotspotField HotspotFields::any(std::initializer_list<std::string> names) const
{
    for (const std::string &name : names)
        if (auto found = fields_.find(name); found != fields_.end())
            return found->second;
    return {};
}

HotspotField HotspotFields::need(std::initializer_list<std::string> names)
{
    HotspotField found = any(names);
    is_lacking_ |= found.bytes == 0;
    return found;
}

uint64_t HotspotFields::size(std::initializer_list<std::string> types)
{
    for (const std::string &type : types)
        if (auto found = sizes_.find(type); found != sizes_.end() && found->second)
            return found->second;
    is_lacking_ = true;
    return 0;
}

}  // namespace uscope::lang
