// The memory of a JVM of JDK 21 that has compiled the method Shop.pay(), into which Shop.round() is
// inlined. For the tests and the fuzzer of common/lang/java/hotspot_code.cpp. The offsets in
// structures are smaller than in a real JVM.
#pragma once

#include <cstdint>

#include "hotspot_memory.h"

namespace uscope::lang::tests {

struct CompiledJvm {
    HotspotBuilder jvm;
    // Addresses: of the code heap, of the compiled method's CodeBlob, of the interpreter's
    // CodeBlob.
    uint64_t low = 0, blob = 0, interpreter = 0;
    uint64_t pay = 0, round = 0;  // addresses of the Method objects
    uint64_t pay_bytecodes = 0;

    static constexpr uint64_t segment = 128, header = 16, code_at = 96, code_bytes = 64;

    CompiledJvm()
    {
        uint64_t version = jvm.add(21), heaps = jvm.add(0);
        describe(version, heaps);
        uint64_t shop = jvm.add_structure(16, {{8, symbol("sh\u00f6p/Shop")}});
        uint64_t pool = jvm.add_structure(64, {{8, shop}, {16, 1}});
        jvm.put(pool + 24 + 8, symbol("Shop.java"));
        jvm.put(pool + 24 + 16, symbol("pay"));
        jvm.put(pool + 24 + 24, symbol("round"));
        pay = method(pool, 2);
        round = method(pool, 3);
        make_heap(heaps);
    }

    Memory memory() const { return memory_of(jvm.bytes); }

  private:
    void describe(uint64_t version, uint64_t heaps)
    {
        jvm.structs({{"Abstract_VM_Version", "_vm_major_version", 0, version, "int"},
                     {"CodeCache", "_heaps", 0, heaps},
                     {"GrowableArrayBase", "_len", 0, 0, "int"},
                     {"GrowableArray<int>", "_data", 8, 0},
                     {"CodeHeap", "_memory", 0, 0, "VirtualSpace"},
                     {"CodeHeap", "_segmap", 16, 0, "VirtualSpace"},
                     {"CodeHeap", "_log2_segment_size", 32, 0, "int"},
                     {"VirtualSpace", "_low", 0, 0},
                     {"VirtualSpace", "_high", 8, 0},
                     {"HeapBlock::Header", "_used", 8, 0, "bool"},
                     {"CodeBlob", "_name", 0, 0},
                     {"CodeBlob", "_frame_size", 8, 0, "int"},
                     {"CodeBlob", "_frame_complete_offset", 12, 0, "int"},
                     {"CodeBlob", "_code_begin", 16, 0},
                     {"CodeBlob", "_code_end", 24, 0},
                     {"CompiledMethod", "_method", 32, 0},
                     {"CompiledMethod", "_deopt_handler_begin", 40, 0},
                     {"CompiledMethod", "_scopes_data_begin", 48, 0},
                     {"nmethod", "_compile_id", 56, 0, "int"},
                     {"nmethod", "_orig_pc_offset", 60, 0, "int"},
                     {"nmethod", "_scopes_pcs_offset", 64, 0, "int"},
                     {"nmethod", "_dependencies_offset", 68, 0, "int"},
                     {"nmethod", "_metadata_offset", 72, 0, "int"},
                     {"PcDesc", "_pc_offset", 0, 0, "int"},
                     {"PcDesc", "_scope_decode_offset", 4, 0, "int"},
                     {"Method", "_constMethod", 8, 0},
                     {"ConstMethod", "_constants", 0, 0},
                     {"ConstMethod", "_code_size", 8, 0, "u2"},
                     {"ConstMethod", "_name_index", 10, 0, "u2"},
                     {"ConstMethod", "_flags", 12, 0, "u4"},
                     {"ConstantPool", "_pool_holder", 8, 0},
                     {"ConstantPool", "_source_file_name_index", 16, 0, "u2"},
                     {"Klass", "_name", 8, 0},
                     {"Symbol", "_length", 0, 0, "u2"},
                     {"Symbol", "_body[0]", 2, 0, "u1"}});
        jvm.types(
            {{"HeapBlock", header}, {"PcDesc", 8}, {"ConstMethod", 16}, {"ConstantPool", 24}});
    }

    uint64_t symbol(const std::string &text)
    {
        uint64_t at = jvm.add_structure(2 + text.size(), {});
        jvm.put(at, uint16_t(text.size()));
        jvm.put_text(at + 2, text);
        return at;
    }

    // Adds a Method with 10 bytes of bytecodes: those before offset 5 are of line 7, the others of
    // line 9.
    uint64_t method(uint64_t pool, uint16_t name)
    {
        uint64_t code = jvm.add_structure(16 + 10 + 3, {{0, pool}});
        jvm.put(code + 8, uint16_t(10));
        jvm.put(code + 10, name);
        jvm.put(code + 12, uint32_t(1));
        jvm.put_text(code + 16 + 10, std::string_view("\x07\x2a\x00", 3));
        if (!pay_bytecodes)
            pay_bytecodes = code + 16;
        return jvm.add_structure(16, {{8, code}});
    }

    // Creates a code heap of 6 segments: a free one, 4 of the compiled method, one of the
    // interpreter.
    void make_heap(uint64_t heaps)
    {
        low = jvm.add_structure(6 * segment, {});
        uint64_t segments = jvm.add_structure(6, {});
        jvm.put_text(segments, std::string_view("\xff\x00\x01\x02\x01\x00", 6));
        uint64_t heap = jvm.add_structure(
            40, {{0, low}, {8, low + 6 * segment}, {16, segments}, {24, segments + 6}, {32, 7}});
        uint64_t element = jvm.add(heap);
        jvm.put(heaps, jvm.add_structure(16, {{0, 1}, {8, element}}));
        make_compiled(low + segment);
        make_blob(low + 5 * segment, "Interpreter", 0);
        interpreter = low + 5 * segment + header;
    }

    uint64_t make_blob(uint64_t block, const std::string &name, uint32_t frame_words)
    {
        jvm.put(block + 8, uint8_t(1));
        uint64_t at = block + header;
        uint64_t text = jvm.add_text(name);
        jvm.put(at, text);
        jvm.put(at + 8, frame_words);
        jvm.put(at + 12, uint32_t(8));
        jvm.put(at + 16, at + code_at);
        jvm.put(at + 24, at + code_at + code_bytes);
        return at;
    }

    // Creates the compiled method. Its code has two calls: one in round(), which is inlined at
    // bytecode 6 of pay(), and one at bytecode 2 of pay() itself.
    void make_compiled(uint64_t block)
    {
        constexpr uint64_t pcs = code_at + code_bytes, metadata = pcs + 32, scopes = metadata + 16;
        blob = make_blob(block, "nmethod", 4);
        jvm.put(blob + 32, pay);
        jvm.put(blob + 40, blob + code_at + code_bytes - 4);
        jvm.put(blob + 48, blob + scopes);
        jvm.put(blob + 56, uint32_t(77));
        jvm.put(blob + 60, uint32_t(16));
        jvm.put(blob + 64, uint32_t(pcs));
        jvm.put(blob + 68, uint32_t(pcs + 32));
        jvm.put(blob + 72, uint32_t(metadata));
        std::pair<int32_t, int32_t> calls[] = {{-1, 0}, {20, 4}, {40, 7}, {1000, 0}};
        for (size_t i = 0; i < 4; i++) {
            jvm.put(blob + pcs + 8 * i, calls[i].first);
            jvm.put(blob + pcs + 8 * i + 4, calls[i].second);
        }
        jvm.put(blob + metadata, pay);
        jvm.put(blob + metadata + 8, round);
        // Scopes of {sender, method, bytecode + 1}; each number is stored with 1 added. At offset
        // 1: bytecode 6 of pay(); at 4: bytecode 0 of round(), whose caller is the scope at 1; at
        // 7: bytecode 2 of pay().
        jvm.put_text(blob + scopes + 1,
                     std::string_view("\x01\x02\x08\x02\x03\x02\x01\x02\x04", 9));
    }
};

}  // namespace uscope::lang::tests
