// Finds the fields that lead from the code of a HotSpot JVM to the names of its methods.
#pragma once

#include "lang/java/hotspot_fields.h"

namespace uscope::lang {

// Fields and sizes of structures, as explained in hotspot_code.cpp. Some exist only in some
// releases.
struct HotspotLayout {
    // Returns nullopt if the JVM does not describe its code as JDK 17 to 25 do.
    static std::optional<HotspotLayout> read(const Memory &memory);

    // Does this release describe enough to find code, scopes and metadata?
    bool is_complete() const;

    // 1 since JDK 20: each byte of a packed number is stored plus 1, so that none is 0.
    uint32_t excluded = 0;
    uint64_t block_bytes = 0, const_method_bytes = 0, constants_bytes = 0, pc_desc_bytes = 0;
    // The code cache and its heaps.
    HotspotField heaps, count, data, memory, segmap, segment_bits, low, high, used;
    // CodeBlob, and nmethod.
    HotspotField name, frame_words, complete, code_begin, code_end, code_offset, data_offset;
    HotspotField method, compile_id, own_pc;
    HotspotField deopt, deopt_offset, deopt_handles, deopt_handles_offset;
    HotspotField scopes_begin, scopes_offset, pcs_offset, pcs_end, immutable_data;
    HotspotField metadata_offset, mutable_data, relocation;
    HotspotField pc_offset, scope_offset;
    // Method, ConstMethod, ConstantPool, Klass, Symbol.
    HotspotField const_method, constants, code_size, name_index, flags;
    HotspotField holder, file_index, class_name, symbol_length, symbol_text;
};

}  // namespace uscope::lang
