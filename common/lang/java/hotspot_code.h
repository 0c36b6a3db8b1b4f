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

#include "lang/jit_method.h"

namespace uscope::lang {

class Memory;

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
        // With the return address; 0: unknown, or the code keeps a frame pointer.
        uint64_t frame_bytes = 0;
        uint64_t complete_at = 0;  // offset in the code from which on the frame is complete
        // Method only: these distinguish the blob from a later one at the same address.
        uint64_t method = 0;
        uint32_t compile_id = 0;
        uint64_t compile_id_at = 0;  // address of the JVM's compile_id
        // Addresses of handlers. To deoptimise a frame, the JVM replaces the return address into it
        // with one of these. The original address is then on the stack, `own_pc_at` bytes above the
        // stack pointer.
        std::array<uint64_t, 2> deoptimises_at = {};
        uint64_t own_pc_at = 0;
        std::string name = {};  // "Interpreter", "StubRoutines (1)"
    };
    std::optional<Blob> find(const Memory &memory, uint64_t pc) const;
    // Is `pc` within the code cache? Its block may be free.
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
    // A field that the JVM describes. `at`: its offset in its structure, or the address of a static
    // field.
    struct Field {
        uint64_t at = 0;
        uint8_t bytes = 0;  // 0: the JVM has no such field
    };
    struct Heap {
        uint64_t low, high, segments, segments_end;
        uint32_t segment_bits;
    };
    struct Scopes {
        uint64_t pcs, pcs_end, data, metadata;
    };
    struct Names {
        uint64_t bytecodes, code_bytes;  // address and size
        Method method;                   // its source has no line yet
        uint64_t lines;                  // the line table's address; 0: none
    };
    class Fields;

    static std::optional<uint64_t> read(const Memory &memory, uint64_t base, const Field &field);
    static uint64_t value(const Memory &memory, uint64_t base, const Field &field)
    {
        return read(memory, base, field).value_or(0);
    }
    std::vector<Heap> heaps(const Memory &memory) const;
    std::optional<uint64_t> block_at(const Memory &memory, const Heap &heap, uint64_t pc) const;
    std::optional<Blob> read_blob(const Memory &memory, uint64_t address) const;
    std::optional<Scopes> scopes_of(const Memory &memory, uint64_t blob) const;
    std::optional<int32_t> scope_at(const Memory &memory, const Scopes &scopes, uint64_t offset,
                                    bool is_return) const;
    std::optional<Names> names_of(const Memory &memory, uint64_t method) const;
    std::optional<std::string> symbol(const Memory &memory, uint64_t address) const;
    Method at_bytecode(const Memory &memory, const Names &names, uint64_t bci) const;
    uint32_t line_at(const Memory &memory, uint64_t table, uint64_t bci) const;

    // 1 since JDK 20: each byte of a packed number is stored plus 1, so that none is 0.
    uint32_t excluded_ = 0;
    uint64_t block_bytes_ = 0, const_method_bytes_ = 0, constants_bytes_ = 0;
    uint64_t pc_desc_bytes_ = 0;
    Field heaps_, count_, data_;
    Field memory_, segmap_, segment_bits_, low_, high_, used_;
    Field name_, frame_words_, complete_, code_begin_, code_end_, code_offset_, data_offset_;
    Field method_, compile_id_, deopt_, deopt_offset_, deopt_handles_, deopt_handles_offset_,
        own_pc_;
    Field scopes_begin_, scopes_offset_, pcs_offset_, pcs_end_, immutable_;
    Field metadata_offset_, mutable_, relocation_;
    Field pc_offset_, scope_offset_;
    Field const_method_, constants_, code_size_, name_index_, flags_;
    Field holder_, file_index_, class_name_, symbol_length_, symbol_text_;
};

}  // namespace uscope::lang
