// JIT code of a HotSpot JVM: which methods it executes, and how large its frames are.
//
// Reads the process's memory, guided by the JVM's description of its own structures (vmStructs).
// Methods that cannot be read get no name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/java/hotspot_layout.h"
#include "lang/jit_method.h"

namespace uscope::lang {

class HotspotCode {
  public:
    // Returns nullopt if the process has no JVM yet, or one that does not describe its code as JDK
    // 17 to 25 do. `memory` finds variables of libjvm.so by name.
    static std::optional<HotspotCode> open(const Memory &memory);

    // A block of the code cache.
    struct Blob {
        enum class Kind : uint8_t { Method, Interpreter, Stub };
        Kind kind = Kind::Stub;
        uint64_t address = 0, code_begin = 0, code_end = 0;
        // Size of a frame, including the return address; 0: unknown, or the code keeps a frame
        // pointer.
        uint64_t frame_bytes = 0;
        uint64_t complete_at = 0;  // the frame is complete from this offset in the code
        // Method only: these distinguish the blob from a later one at the same address.
        uint64_t method = 0;
        uint32_t compile_id = 0;
        uint64_t compile_id_at = 0;  // where the JVM keeps it: an address in the process
        // Addresses of handlers. To deoptimise a frame, the JVM replaces the address at which a
        // callee will return to the frame with one of these. The original address is then on the
        // stack, `own_pc_at` bytes above the stack pointer.
        std::array<uint64_t, 2> deoptimises_at = {};
        uint64_t own_pc_at = 0;
        std::string name = {};  // "Interpreter", "StubRoutines (1)"
    };
    std::optional<Blob> find(const Memory &memory, uint64_t pc) const;
    // Is `pc` within the code cache? The block there may be free.
    bool holds(const Memory &memory, uint64_t pc) const;

    using Method = JitMethod;
    // Returns the methods that a Method blob executes at `pc`: the inlined ones, innermost first,
    // then the compiled method itself. `is_return`: `pc` is the return address of a call.
    std::vector<Method> methods(const Memory &memory, const Blob &blob, uint64_t pc,
                                bool is_return) const;

    // Does the JVM know which methods a Method blob executes at the return address `pc`?
    bool has_scope(const Memory &memory, const Blob &blob, uint64_t pc) const
    {
        auto scopes = scopes_of(memory, blob.address);
        return scopes && scope_at(memory, *scopes, pc - blob.code_begin, true);
    }

    // Names the method of an interpreter's frame. `method`: the address of its Method; `bytecode`:
    // the low bits of the address of the current bytecode, or 0. Returns nullopt if it cannot be
    // read.
    static constexpr uint64_t bytecode_bits = 19;
    std::optional<Method> interpreted(const Memory &memory, uint64_t method,
                                      uint64_t bytecode) const;

  private:
    explicit HotspotCode(const HotspotLayout &jvm) : jvm_(jvm) {}

    struct Heap {
        uint64_t low, high, segments, segments_end;
        uint32_t segment_bits;
    };
    struct Scopes {
        uint64_t pcs, pcs_end, data, metadata;
    };
    struct MethodInfo {
        uint64_t bytecodes, code_bytes;  // address and size
        Method method;                   // its source has no line yet
        uint64_t lines;                  // the line table's address; 0: none
    };

    std::vector<Heap> heaps(const Memory &memory) const;
    std::optional<uint64_t> block_at(const Memory &memory, const Heap &heap, uint64_t pc) const;
    std::optional<Blob> read_blob(const Memory &memory, uint64_t address) const;
    std::optional<Scopes> scopes_of(const Memory &memory, uint64_t blob) const;
    std::optional<int32_t> scope_at(const Memory &memory, const Scopes &scopes, uint64_t offset,
                                    bool is_return) const;
    std::optional<MethodInfo> method_info(const Memory &memory, uint64_t method) const;
    std::optional<std::string> symbol(const Memory &memory, uint64_t address) const;
    Method at_bytecode(const Memory &memory, const MethodInfo &info, uint64_t bci) const;
    uint32_t line_at(const Memory &memory, uint64_t table, uint64_t bci) const;

    HotspotLayout jvm_;
};

}  // namespace uscope::lang
