// The memory of an imaginary JVM's process, with the tables in which a JVM describes its
// structures.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "lang/memory.h"

namespace uscope::lang::tests {

// Returns the address of a variable that a JVM exports and lang/java/hotspot.cpp reads. They have 8
// bytes each, at the addresses 0, 8, 16 …
inline std::optional<uint64_t> find_hotspot_variable(const std::string &name)
{
    static const std::map<std::string, uint64_t> places = {
        {"gHotSpotVMStructs", 0},
        {"gHotSpotVMStructEntryArrayStride", 8},
        {"gHotSpotVMStructEntryTypeNameOffset", 16},
        {"gHotSpotVMStructEntryFieldNameOffset", 24},
        {"gHotSpotVMStructEntryOffsetOffset", 32},
        {"gHotSpotVMStructEntryAddressOffset", 40},
        {"gHotSpotVMTypes", 48},
        {"gHotSpotVMTypeEntryArrayStride", 56},
        {"gHotSpotVMTypeEntryTypeNameOffset", 64},
        {"gHotSpotVMTypeEntrySizeOffset", 72},
        {"gHotSpotVMStructEntryTypeStringOffset", 80},
        {"gHotSpotVMStructEntryIsStaticOffset", 88},
    };
    auto place = places.find(name);
    return place == places.end() ? std::nullopt : std::optional(place->second);
}

// Returns a memory with `bytes` at address 0. The bytes must outlive it.
inline Memory memory_of(std::string_view bytes)
{
    auto read = [bytes](uint64_t address, char *into, size_t length) -> size_t {
        return address < bytes.size() ? bytes.copy(into, length, address) : 0;
    };
    return Memory(find_hotspot_variable, read);
}

class HotspotBuilder {
  public:
    HotspotBuilder()
    {
        for (size_t i = 0; i < 12; i++)
            add(uint64_t{0});
        for (auto [name, value] :
             std::map<std::string, uint64_t>{{"gHotSpotVMStructEntryArrayStride", 48},
                                             {"gHotSpotVMStructEntryTypeNameOffset", 0},
                                             {"gHotSpotVMStructEntryFieldNameOffset", 8},
                                             {"gHotSpotVMStructEntryOffsetOffset", 16},
                                             {"gHotSpotVMStructEntryAddressOffset", 24},
                                             {"gHotSpotVMStructEntryTypeStringOffset", 32},
                                             {"gHotSpotVMStructEntryIsStaticOffset", 40},
                                             {"gHotSpotVMTypeEntryArrayStride", 16},
                                             {"gHotSpotVMTypeEntryTypeNameOffset", 0},
                                             {"gHotSpotVMTypeEntrySizeOffset", 8}})
            set(name, value);
    }

    std::string bytes;

    uint64_t add(uint64_t word)
    {
        return append(std::string(reinterpret_cast<char *>(&word), sizeof word));
    }
    uint64_t add_text(const std::string &text) { return append(text + '\0'); }
    void set(const std::string &variable, uint64_t value)
    {
        memcpy(bytes.data() + *find_hotspot_variable(variable), &value, sizeof value);
    }

    // A field of the structure `type`. `address`: that of a static field, else 0. `holds`: the type
    // of the field itself.
    struct Field {
        std::string type, name;
        uint64_t offset, address;
        std::string holds = "address";
    };
    void structs(const std::vector<Field> &fields)
    {
        std::vector<uint64_t> words;
        for (const Field &field : fields)
            words.insert(words.end(),
                         {add_text(field.type), add_text(field.name), field.offset, field.address,
                          add_text(field.holds), uint64_t(field.address != 0)});
        set("gHotSpotVMStructs", add_all(words));
    }
    void type(const std::string &name, uint64_t size) { types({{name, size}}); }
    void types(const std::vector<std::pair<std::string, uint64_t>> &sizes)
    {
        std::vector<uint64_t> words;
        for (const auto &[name, size] : sizes)
            words.insert(words.end(), {add_text(name), size});
        set("gHotSpotVMTypes", add_all(words));
    }
    // Adds a structure of zeros with some words, and returns its address. `words`: by offset.
    uint64_t add_structure(size_t size, const std::map<size_t, uint64_t> &words)
    {
        uint64_t at = append(std::string(size, '\0'));
        for (auto [place, word] : words)
            put(at + place, word);
        return at;
    }
    template <class T>
    void put(uint64_t at, T value)
    {
        memcpy(bytes.data() + at, &value, sizeof value);
    }
    void put_text(uint64_t at, std::string_view text)
    {
        memcpy(bytes.data() + at, text.data(), text.size());
    }

  private:
    uint64_t append(const std::string &more)
    {
        bytes.resize((bytes.size() + 7) & ~size_t{7});
        bytes += more;
        return bytes.size() - more.size();
    }
    // Adds an array and the empty entry that ends it; returns the address of the array.
    uint64_t add_all(const std::vector<uint64_t> &words)
    {
        uint64_t first = add(words[0]);
        for (size_t i = 1; i < words.size(); i++)
            add(words[i]);
        for (size_t i = 0; i < 6; i++)
            add(uint64_t{0});
        return first;
    }
};

// Returns the memory of a JVM with the flags DTraceAllocProbes (off) and DTraceMethodProbes (on).
// `heap`: the address of its heap; 0 while the JVM is starting.
inline std::string hotspot_memory(const std::string &version, uint64_t heap = 0x7f00)
{
    HotspotBuilder jvm;
    uint64_t on = jvm.add(1), off = jvm.add(0);
    uint64_t alloc = jvm.add_text("DTraceAllocProbes"), method = jvm.add_text("DTraceMethodProbes");
    uint64_t flags = jvm.add(off);  // {value, name}
    jvm.add(alloc);
    jvm.add(on);
    jvm.add(method);
    uint64_t text = jvm.add_text(version);
    jvm.structs({{"Abstract_VM_Version", "_s_vm_release", 0, jvm.add(text)},
                 {"JVMFlag", "flags", 0, jvm.add(flags)},
                 {"JVMFlag", "numFlags", 0, jvm.add(2)},
                 {"JVMFlag", "_name", 8, 0},
                 {"JVMFlag", "_addr", 0, 0},
                 {"Universe", "_collectedHeap", 0, jvm.add(heap)},
                 {"JavaThread", "_threadObj", 896, 0},
                 {"JavaThread", "_vthread", 904, 0},
                 {"Thread", "_next", 24, 0}});
    jvm.type("JVMFlag", 16);
    return jvm.bytes;
}

}  // namespace uscope::lang::tests
