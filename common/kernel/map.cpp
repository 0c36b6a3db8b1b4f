// Reads whole maps in batches, and computes what was added to tables.
#include "kernel/map.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/features.h"
#include "kernel/link_info.h"

namespace uscope::kernel {
namespace {

struct Sizes {
    size_t key, value;
};

Result<Sizes> sizes_of(int map)
{
    auto info = info_of<bpf_map_info>(map);
    if (!info)
        return fail_errno("cannot examine a map");
    bool per_cpu = info->type == BPF_MAP_TYPE_PERCPU_HASH ||
                   info->type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
                   info->type == BPF_MAP_TYPE_PERCPU_ARRAY;
    size_t value = info->value_size;
    if (per_cpu)
        value = (value + 7) / 8 * 8 * libbpf_num_possible_cpus();
    return Sizes{info->key_size, value};
}

using Entry = std::function<void(Bytes, Bytes)>;

Result<> read_one_by_one(int map, const Sizes &sizes, const Entry &entry)
{
    std::vector<uint8_t> key(sizes.key), value(sizes.value);
    const void *previous = nullptr;
    while (bpf_map_get_next_key(map, previous, key.data()) == 0) {
        previous = key.data();
        if (bpf_map_lookup_elem(map, key.data(), value.data()) == 0)
            entry({key.data(), key.size()}, {value.data(), value.size()});
    }
    return errno == ENOENT ? Result<>() : fail_errno("cannot read a map");
}

// Returns false, without having read anything, if the kernel cannot read this map in batches.
Result<bool> read_in_batches(int map, const Sizes &sizes, const Entry &entry)
{
    uint32_t capacity = 1024;
    std::vector<uint8_t> keys, values;
    // Where the next batch begins: a bucket number for hashes, a key for arrays.
    std::vector<uint8_t> position(std::max<size_t>(sizes.key, 8)), next(position.size());
    bool first = true;
    for (;;) {
        keys.resize(capacity * sizes.key);
        values.resize(capacity * sizes.value);
        uint32_t count = capacity;
        int failed = bpf_map_lookup_batch(map, first ? nullptr : position.data(), next.data(),
                                          keys.data(), values.data(), &count, nullptr);
        int error = failed ? errno : 0;
        if (error == ENOSPC && capacity < 1u << 24) {  // a bucket has more entries than the batch
            capacity *= 2;
            continue;
        }
        if (error && error != ENOENT) {
            if (first)
                return false;
            return fail_errno("cannot read a map");
        }
        for (uint32_t i = 0; i < count; i++)
            entry({&keys[i * sizes.key], sizes.key}, {&values[i * sizes.value], sizes.value});
        if (error == ENOENT)
            return true;
        first = false;
        position.swap(next);
    }
}

}  // namespace

Result<Fd> create_table(const MapRequest &request)
{
    uint32_t flags = request.is_hash && programs_may_allocate() ? BPF_F_NO_PREALLOC : 0;
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
    auto type = request.is_hash ? BPF_MAP_TYPE_PERCPU_HASH : BPF_MAP_TYPE_PERCPU_ARRAY;
    if (request.is_shared)
        type = request.is_hash ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_ARRAY;
    int map = bpf_map_create(type, request.name.c_str(), request.key_bytes, request.value_bytes,
                             request.entries, &options);
    if (map < 0)
        return fail_errno("cannot make a table of {} entries of {} bytes", request.entries,
                          request.key_bytes + request.value_bytes);
    return Fd(map);
}

Result<> write_array(int map, uint32_t first, const void *values, uint32_t count)
{
    std::vector<uint32_t> indexes(count);
    std::iota(indexes.begin(), indexes.end(), first);
    uint32_t written = count;
    if (count == 0 || bpf_map_update_batch(map, indexes.data(), values, &written, nullptr) == 0)
        return {};
    return fail_errno("cannot fill a table of {} entries", count);
}

Result<Fd> create_constant(const std::string &name, Bytes value)
{
    Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, name.c_str(), sizeof(uint32_t), value.size(), 1,
                          nullptr));
    uint32_t zero = 0;
    if (!map || bpf_map_update_elem(map.get(), &zero, value.data(), BPF_ANY) != 0)
        return fail_errno("cannot make a map of {} bytes", value.size());
    return map;
}

Result<> read_map(int map, const Entry &entry)
{
    Sizes sizes = TRY(sizes_of(map));
    if (TRY(read_in_batches(map, sizes, entry)))
        return {};
    return read_one_by_one(map, sizes, entry);
}

struct TableReader::State {
    int map;
    Holds holds;
    std::unordered_map<std::string, histogram_slot> before = {};

    histogram_slot total(Bytes values) const;
};

TableReader::TableReader(int map, Holds holds) : state_(new State{map, holds}) {}
TableReader::TableReader(TableReader &&) noexcept = default;
TableReader::~TableReader() = default;

histogram_slot TableReader::State::total(Bytes values) const
{
    histogram_slot total = {};
    bool are_slots = holds == Holds::Slots;
    size_t bytes = are_slots ? sizeof(histogram_slot) : sizeof(uint64_t);
    for (size_t at = 0; at < values.size(); at += bytes) {
        total.count += values.read<uint64_t>(at).value_or(0);
        if (!are_slots)
            continue;
        auto slot = values.read<histogram_slot>(at).value_or(histogram_slot{});
        total.sum += slot.sum;
        total.max = std::max<uint64_t>(total.max, slot.max);
    }
    return total;
}

Result<> TableReader::take(Since since, const Add &add)
{
    return read_map(state_->map, [&](Bytes key, Bytes values) {
        histogram_slot added = state_->total(values);
        if (since == Since::LastTime && added.count) {
            histogram_slot &before = state_->before[std::string(key.text())];
            histogram_slot now = added;
            added.count -= before.count;
            added.sum -= before.sum;
            before = now;
        }
        if (added.count)
            add(key, added);
    });
}

Result<std::vector<uint64_t>> read_counters(int map, size_t count)
{
    std::vector<uint64_t> totals(count);
    TRY(read_map(map, [&](Bytes key, Bytes values) {
        uint32_t index = key.read<uint32_t>(0).value_or(0);
        for (size_t at = 0; index < count && at < values.size(); at += 8)
            totals[index] += values.read<uint64_t>(at).value_or(0);
    }));
    return totals;
}

Result<uint64_t> read_counter(int map)
{
    return TRY(read_counters(map, 1))[0];
}

}  // namespace uscope::kernel
