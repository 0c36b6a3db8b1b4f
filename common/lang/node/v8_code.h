// Names the functions that V8 executes, with their lines in the source.
//
// Reads the process's memory, guided by the program's v8dbg_… variables, which describe V8's
// objects (Node 16 to 26). The collector moves objects: what cannot be read, or has another type,
// gets no name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/jit_method.h"
#include "lang/node/v8_inlined.h"

namespace uscope::lang {

class Memory;

class V8Code {
  public:
    static constexpr uint64_t tag = 1;  // in pointers to objects
    // v8::internal::Version::major_ and minor_
    static constexpr const char *version = "_ZN2v88internal7Version6major_E",
                                *minor_version = "_ZN2v88internal7Version6minor_E";

    // Returns nullopt if the program does not describe its objects, or in an unknown way. `memory`
    // has the v8dbg_… variables and the version.
    static std::optional<V8Code> open(const Memory &memory);

    // The offsets that the walk needs to find a function's SharedFunctionInfo, and the name and
    // script in it, packed as in `end` of the walk's rules (bpf/unwind/unwind.h).
    uint8_t packed_offsets() const;

    using Function = JitMethod;
    // Names a JSFunction. `bytecode_offset`: offset in its BytecodeArray, or UNWIND_V8_NOWHERE.
    std::optional<Function> function(const Memory &memory, uint64_t function,
                                     uint64_t bytecode_offset) const;
    // Names a SharedFunctionInfo. `bits`: those that the walk stored with it, a hash and the
    // offset.
    std::optional<Function> shared(const Memory &memory, uint64_t shared, uint64_t bits) const;

    // If the optimized code that returns to an address was compiled for this SharedFunctionInfo:
    // the functions that it executes there, which are inlined except for the last one, each with
    // the line of its call. Else returns nothing.
    std::vector<Function> inlined(const Memory &memory, uint64_t shared,
                                  uint64_t return_address) const;
    // Of a JSFunction; nullopt if it cannot be read.
    std::optional<uint64_t> shared_of(const Memory &memory, uint64_t function) const;

  private:
    struct Characters {
        uint64_t at, count;
        bool is_wide;
    };
    struct Names {
        std::string name;
        std::optional<uint64_t> start;  // in the source
    };
    struct Source {
        uint64_t text, count;             // these distinguish it from a later one at this address
        std::vector<uint32_t> line_ends;  // or starts of lines, without the first one
    };

    std::optional<Function> describe(const Memory &memory, uint64_t shared,
                                     uint64_t bytecode_offset) const;
    Names names_of(const Memory &memory, uint64_t name_or_scope) const;
    Names scope_names(const Memory &memory, uint64_t scope) const;
    std::optional<uint64_t> position_of(const Memory &memory, uint64_t shared,
                                        uint64_t bytecode_offset) const;
    std::optional<uint64_t> bytecodes_of(const Memory &memory, uint64_t shared) const;
    std::string source_location(const Memory &memory, uint64_t script,
                                std::optional<uint64_t> at) const;
    const Source *source_of(const Memory &memory, uint64_t script) const;
    std::optional<Characters> characters(const Memory &memory, uint64_t string) const;
    std::string text(const Memory &memory, uint64_t string, int depth = 0) const;
    static std::optional<uint64_t> pointer(const Memory &memory, uint64_t object, uint64_t at);
    static std::optional<uint64_t> small(const Memory &memory, uint64_t object, uint64_t at);
    static uint16_t type_of(const Memory &memory, uint64_t object);
    bool is_string(const Memory &memory, uint64_t object) const
    {
        return type_of(memory, object) < first_other_type_;
    }

    uint16_t shared_type_ = 0, scope_type_ = 0, script_type_ = 0, bytecodes_type_ = 0,
             first_other_type_ = 0;
    uint64_t shared_at_ = 0, name_at_ = 0, script_at_ = 0;
    uint64_t positions_at_ = 0, bytecodes_at_ = 0, first_local_ = 0;
    std::optional<V8Inlined> inlined_ = {};
    bool has_bits_below_ = false;  // in tables of source positions: two bits below each number
    bool has_receiver_ = false;    // scopes may have `this`
    std::shared_ptr<std::map<uint64_t, Source>> sources_ =
        std::make_shared<std::map<uint64_t, Source>>();
};

}  // namespace uscope::lang
