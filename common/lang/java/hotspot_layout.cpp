// Lists the fields that lead from a JVM's code to the names of methods. Releases differ: pointers
// became offsets (JDK 23), and data moved into separate writable and read-only blocks (JDK 23, 25).
// Which of the fields exist shows the form that this release has.
#include "lang/java/hotspot_layout.h"

namespace uscope::lang {
namespace {

uint32_t excluded_from_packed(const Memory &memory, const HotspotFields &fields)
{
    constexpr uint64_t first_excluded = 20;
    uint64_t major = value(memory, 0, fields.any({"Abstract_VM_Version._vm_major_version"}));
    return major >= first_excluded;
}

}  // namespace

std::optional<HotspotLayout> HotspotLayout::read(const Memory &memory)
{
    HotspotFields fields(
        memory, {"CodeCache", "GrowableArrayBase", "GenericGrowableArray", "GrowableArray<int>",
                 "CodeHeap", "VirtualSpace", "HeapBlock", "HeapBlock::Header", "CodeBlob",
                 "CompiledMethod", "nmethod", "PcDesc", "Method", "ConstMethod", "ConstantPool",
                 "Klass", "Symbol", "Abstract_VM_Version"});
    HotspotLayout jvm;
    jvm.heaps = fields.need({"CodeCache._heaps"});
    jvm.count = fields.need({"GrowableArrayBase._len", "GenericGrowableArray._len"});
    jvm.data = fields.need({"GrowableArray<int>._data"});
    jvm.memory = fields.need({"CodeHeap._memory"});
    jvm.segmap = fields.need({"CodeHeap._segmap"});
    jvm.segment_bits = fields.need({"CodeHeap._log2_segment_size"});
    jvm.low = fields.need({"VirtualSpace._low"});
    jvm.high = fields.need({"VirtualSpace._high"});
    jvm.used = fields.need({"HeapBlock::Header._used"});
    jvm.block_bytes = fields.size({"HeapBlock"});
    jvm.name = fields.need({"CodeBlob._name"});
    jvm.frame_words = fields.need({"CodeBlob._frame_size"});
    jvm.complete = fields.need({"CodeBlob._frame_complete_offset"});
    jvm.code_begin = fields.any({"CodeBlob._code_begin"});
    jvm.code_end = fields.any({"CodeBlob._code_end"});
    jvm.code_offset = fields.any({"CodeBlob._code_offset"});
    jvm.data_offset = fields.any({"CodeBlob._data_offset"});
    jvm.method = fields.need({"CompiledMethod._method", "nmethod._method"});
    jvm.compile_id = fields.need({"nmethod._compile_id"});
    jvm.deopt = fields.any({"CompiledMethod._deopt_handler_begin"});
    jvm.deopt_offset =
        fields.any({"nmethod._deopt_handler_offset", "nmethod._deopt_handler_entry_offset"});
    jvm.deopt_handles = fields.any({"CompiledMethod._deopt_mh_handler_begin"});
    jvm.deopt_handles_offset = fields.any({"nmethod._deopt_mh_handler_offset"});
    jvm.own_pc = fields.need({"nmethod._orig_pc_offset"});
    jvm.scopes_begin = fields.any({"CompiledMethod._scopes_data_begin"});
    jvm.scopes_offset = fields.any({"nmethod._scopes_data_offset"});
    jvm.pcs_offset = fields.need({"nmethod._scopes_pcs_offset"});
    jvm.pcs_end = fields.any({"nmethod._dependencies_offset"});
    jvm.immutable_data = fields.any({"nmethod._immutable_data"});
    jvm.metadata_offset = fields.any({"nmethod._metadata_offset"});
    jvm.mutable_data = fields.any({"CodeBlob._mutable_data"});
    jvm.relocation = fields.any({"CodeBlob._relocation_size"});
    jvm.pc_offset = fields.need({"PcDesc._pc_offset"});
    jvm.scope_offset = fields.need({"PcDesc._scope_decode_offset"});
    jvm.pc_desc_bytes = fields.size({"PcDesc"});
    jvm.const_method = fields.need({"Method._constMethod"});
    jvm.constants = fields.need({"ConstMethod._constants"});
    jvm.code_size = fields.need({"ConstMethod._code_size"});
    jvm.name_index = fields.need({"ConstMethod._name_index"});
    jvm.flags = fields.need({"ConstMethod._flags._flags", "ConstMethod._flags"});
    jvm.const_method_bytes = fields.size({"ConstMethod"});
    jvm.holder = fields.need({"ConstantPool._pool_holder"});
    jvm.file_index = fields.need({"ConstantPool._source_file_name_index"});
    jvm.constants_bytes = fields.size({"ConstantPool"});
    jvm.class_name = fields.need({"Klass._name"});
    jvm.symbol_length = fields.need({"Symbol._length"});
    jvm.symbol_text = fields.need({"Symbol._body[0]"});
    jvm.excluded = excluded_from_packed(memory, fields);
    return fields.is_lacking() || !jvm.is_complete() ? std::nullopt : std::optional(jvm);
}

bool HotspotLayout::is_complete() const
{
    bool has_code = code_begin.bytes ? code_end.bytes : code_offset.bytes && data_offset.bytes;
    bool has_scopes =
        immutable_data.bytes ? scopes_offset.bytes : scopes_begin.bytes && pcs_end.bytes;
    bool has_metadata = mutable_data.bytes ? relocation.bytes : metadata_offset.bytes;
    return has_code && has_scopes && has_metadata;
}

}  // namespace uscope::lang
