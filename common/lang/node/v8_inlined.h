// Finds the functions that V8's optimizing compilers, Maglev and TurboFan, have inlined at a call.
//
// The answer is the compiler's own: the data by which V8 itself replaces a frame of optimized code
// by the frames of all functions in it, for which it needs the position of each in its bytecodes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace uscope::lang {

class Memory;

class V8Inlined {
  public:
    // A function at a call. `bytecode`: the offset of the call in its bytecodes.
    struct Call {
        uint64_t shared;  // its SharedFunctionInfo, with V8's tag
        uint64_t bytecode;
        bool operator==(const Call &) const = default;
    };

    // Returns nullopt for an unknown version. `memory` has the v8dbg_… variables.
    static std::optional<V8Inlined> open(const Memory &memory, int major, int minor);

    // The functions that optimized code at a return address executes, the innermost first, and last
    // the one that the code was compiled for. Empty: it is not optimized code, or the call cannot
    // reach anything that looks at the stack (V8 then keeps no data for it).
    std::vector<Call> calls(const Memory &memory, uint64_t return_address) const;

    struct Version;

  private:
    // Where the code's instructions are, and the object that describes them.
    struct Code {
        uint64_t start, object;
        uint32_t size;
        bool is_maglev;  // else TurboFan's
    };
    std::optional<Code> find_code(const Memory &memory, uint64_t address) const;
    std::optional<uint32_t> deoptimization(const Memory &memory, const Code &code,
                                           uint64_t offset) const;
    std::vector<Call> translate(const Memory &memory, uint64_t data, uint32_t index) const;
    static uint16_t type_of(const Memory &memory, uint64_t object);

    const Version *version_ = nullptr;
    uint16_t stream_type_ = 0;  // of the object that begins `header_` bytes before the code
    uint64_t header_ = 0;
    uint64_t size_at_ = 0, flags_at_ = 0, data_at_ = 0;  // in the object that describes the code
    uint64_t literals_ = 0, first_call_ = 0;             // indices in the deoptimization data
    uint32_t maglev_ = 0;                                // in the flags
    std::array<uint16_t, 3> list_types_ = {};            // that the deoptimization data may have
};

}  // namespace uscope::lang
