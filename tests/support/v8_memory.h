// The memory of an imaginary process that runs Node 20, or another version of V8 with the same
// objects.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "lang/memory.h"
#include "lang/node/v8_code.h"

namespace uscope::lang::tests {

namespace v8_types {
constexpr uint16_t function_type = 200, shared_type = 201, scope_type = 202, script_type = 203,
                   bytecodes_type = 204, bytes_type = 205, first_other_type = 128;
}

// Returns the variables in which V8 describes its objects. `major`: V8's version; nullopt: the
// program has no variable for it.
inline std::map<std::string, int32_t> v8_variables(std::optional<int32_t> major)
{
    using namespace v8_types;
    std::map<std::string, int32_t> found;
    if (major)
        found[V8Code::version] = *major;
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

}  // namespace uscope::lang::tests
