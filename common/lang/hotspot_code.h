// Code that a HotSpot JVM has made: which methods it executes, and how large its frames are.
//
// Everything is read from the process's memory, by what the JVM says of its own structures. Whatever cannot be
// read, or is not known, has no name.
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
    // Nothing when the process has no JVM yet, or one that does not describe its code as 17 to 25 do.
    // `memory` has the variables of libjvm.so.
    static std::optional<HotspotCode> open(const Memory &memory);

    // A piece of the code cache.
    struct Blob {
        enum class Kind : uint8_t { Method, Interpreter, Stub };
        Kind kind = Kind::Stub;
        uint64_t address = 0, code_begin = 0, code_end = 0;
        uint64_t frame_bytes =
            0;  // with the return address; 0: not known, or it keeps a frame pointer
        uint64_t complete_at = 0;  // so far behind the beginning of the code the frame is complete
        // Of a Method: by these it is told from another one that lies here later.
        uint64_t method = 0;
        uint32_t compile_id = 0;
        uint64_t compile_id_at = 0;  // its address
        // A frame that is to be deoptimised returns to one of these: its own address is on the stack, so far from
        // the stack pointer.
        std::array<uint64_t, 2> deoptimises_at = {};
        uint64_t own_pc_at = 0;
        std::string name = {};  // "Interpreter", "StubRoutines (1)"
    };
    std::optional<Blob> find(const Memory &memory, uint64_t pc) const;
    // Is it where pieces of code are, or were?
    bool holds(const Memory &memory, uint64_t pc) const;

    using Method = JitMethod;
    // What a Method blob executes at `pc`: methods that were inlined, the innermost first, and the one
    // that was compiled. `is_return`: a call returns to `pc`.
    std::vector<Method> methods(const Memory &memory, const Blob &blob, uint64_t pc,
                                bool is_return) const;

    // Does the JVM know what a Method blob executes at `pc`?
    bool is_place(const Memory &memory, const Blob &blob, uint64_t pc) const
    {
        auto scopes = scopes_of(memory, blob.address);
        return scopes && scope_at(memory, *scopes, pc - blob.code_begin, true);
    }

    // A frame of the interpreter: its Method, and the low bits of the address in its bytecodes, or 0.
    static constexpr uint64_t bytecode_bits = 19;
    std::optional<Method> interpreted(const Memory &memory, uint64_t method,
                                      uint64_t bytecode) const;

  private:
    // Where a structure has something; of a static field, where that is.
    struct Field {
        uint64_t at = 0;
        uint8_t bytes = 0;  // 0: there is none
    };
    struct Heap {
        uint64_t low, high, segments, segments_end;
        uint32_t segment_bits;
    };
    struct Scopes {
        uint64_t pcs, pcs_end, data, metadata;
    };
    struct Names {
        uint64_t bytecodes, code_bytes;  // where they are, and how many
        Method method;                   // its source without a line
        uint64_t lines;                  // the table; 0: none
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

    uint32_t excluded_ = 0;  // of each byte of a packed number
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
