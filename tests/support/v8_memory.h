// The memory of an imaginary process that runs Node 20, or another version of V8 with the same
// objects.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/memory.h"
#include "lang/node/v8_code.h"

namespace uscope::lang::tests {

namespace v8_types {
constexpr uint16_t function_type = 200, shared_type = 201, scope_type = 202, script_type = 203,
                   bytecodes_type = 204, bytes_type = 205, stream_type = 206, list_type = 207,
                   first_other_type = 128;
}

// Returns the variables in which V8 describes its objects. `major`: V8's version, of those that Node
// contains; nullopt: the program has no variable for it.
inline std::map<std::string, int32_t> v8_variables(std::optional<int32_t> major)
{
    using namespace v8_types;
    std::map<std::string, int32_t> found;
    const std::map<int, int> minor = {{10, 2}, {11, 3}, {12, 4}, {13, 6}, {14, 6}};
    if (major) {
        found[V8Code::version] = *major;
        found[V8Code::minor_version] = minor.contains(*major) ? minor.at(*major) : 4;
    }
    for (auto [name, value] : std::map<std::string, int32_t>{
             {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", shared_type},
             {"type_ScopeInfo__SCOPE_INFO_TYPE", scope_type},
             {"type_Script__SCRIPT_TYPE", script_type},
             {"type_BytecodeArray__BYTECODE_ARRAY_TYPE", bytecodes_type},
             {"FirstNonstringType", first_other_type},
             {"SmiShiftSize", 31},
             {"SmiValueShift", 1},
             {"class_JSFunction__shared__SharedFunctionInfo", 24},
             {"class_SharedFunctionInfo__name_or_scope_info__Object", 16},
             {"class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32},
             {"class_BytecodeArray__data__uintptr_t", 54},
             {"type_InstructionStream__INSTRUCTION_STREAM_TYPE", stream_type},
             {"class_InstructionStream__instruction_start__uintptr_t", 16},
             {"type_Code__CODE_TYPE", stream_type},
             {"class_Code__instruction_start__uintptr_t", 96},
             {"type_FixedArray__FIXED_ARRAY_TYPE", list_type},
             {"scopeinfo_idx_first_vars", 3}})
        found["v8dbg_" + name] = value;
    return found;
}

// Returns a memory with `heap` at address 0. The heap must outlive it.
inline Memory v8_memory(std::string_view heap, std::optional<int32_t> major)
{
    constexpr uint64_t variables_at = 1ull << 40, page = 4096;
    std::map<std::string, uint64_t> places;
    std::string values;
    for (const auto &[name, value] : v8_variables(major)) {
        places[name] = variables_at + values.size();
        values.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    values.resize(page);
    auto find = [places](const std::string &name) -> std::optional<uint64_t> {
        auto found = places.find(name);
        return found == places.end() ? std::nullopt : std::optional(found->second);
    };
    auto read = [heap, values](uint64_t at, char *into, size_t count) -> size_t {
        if (at >= variables_at && at - variables_at < values.size())
            return values.copy(into, count, at - variables_at);
        return at < heap.size() ? heap.copy(into, count, at) : 0;
    };
    return Memory(find, read);
}

// A small integer as V8 stores it.
inline uint64_t small(uint32_t number)
{
    return uint64_t(number) << 32;
}

// The heap of Node 20, from address 0 on, to which tests add objects.
class Heap {
  public:
    // Adds an object of this type. `words`: those that follow the pointer to its type.
    uint64_t add(uint16_t type, const std::vector<uint64_t> &words)
    {
        uint64_t map = append(2 * word);
        put(map + 12, type);
        uint64_t at = append((1 + words.size()) * word);
        put(at, map | 1);
        for (size_t i = 0; i < words.size(); i++)
            put(at + (1 + i) * word, words[i]);
        return at | 1;
    }
    uint64_t add_text(uint16_t type, std::string_view text)
    {
        constexpr uint16_t wide = 0;
        uint64_t at = add(type, {0}) - 1;
        put(at + 12, uint32_t(text.size() / (type == wide ? 2 : 1)));
        bytes_ += text;
        return at | 1;
    }
    uint64_t add_bytes(std::string_view bytes)
    {
        uint64_t at = add(v8_types::bytes_type, {small(uint32_t(bytes.size()))});
        bytes_ += bytes;
        return at;
    }
    const std::string &bytes() const { return bytes_; }
    // Returns the address of `count` new bytes, all of them 0.
    uint64_t append(size_t count)
    {
        bytes_.resize((bytes_.size() + word - 1) / word * word);
        bytes_.append(count, '\0');
        return bytes_.size() - count;
    }
    template <class T>
    void put(uint64_t at, T value)
    {
        memcpy(bytes_.data() + at, &value, sizeof value);
    }

  private:
    static constexpr uint64_t word = 8;
    std::string bytes_ = std::string(word, '\0');
};

}  // namespace uscope::lang::tests
