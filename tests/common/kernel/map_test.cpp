#include "kernel/map.h"

#include <array>
#include <map>
#include <set>
#include <thread>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include "base/fd.h"

namespace uscope::kernel {
namespace {

Fd create(bpf_map_type type, uint32_t value_bytes, uint32_t entries)
{
    return Fd(bpf_map_create(type, "test", 4, value_bytes, entries, nullptr));
}
#define NEEDS(map) \
    if (!(map))    \
    GTEST_SKIP() << "no map: " << strerror(errno)

TEST(Maps, OfManyEntriesAreReadOnceEach)
{
    Fd map = create(BPF_MAP_TYPE_HASH, 8, 10000);
    NEEDS(map);
    for (uint32_t key = 0; key < 10000; key++) {
        uint64_t value = key * 3;
        ASSERT_EQ(bpf_map_update_elem(map.get(), &key, &value, BPF_ANY), 0);
    }
    auto entries = read_map<uint32_t, uint64_t>(map.get());
    ASSERT_TRUE(entries);
    EXPECT_EQ(entries->size(), 10000u);
    std::set<uint32_t> keys;
    for (auto [key, value] : *entries) {
        EXPECT_EQ(value, key * 3);
        keys.insert(key);
    }
    EXPECT_EQ(keys.size(), 10000u);
}

TEST(Maps, ThatAreEmptyHaveNoEntries)
{
    Fd map = create(BPF_MAP_TYPE_HASH, 8, 10);
    NEEDS(map);
    auto entries = read_map<uint32_t, uint64_t>(map.get());
    ASSERT_TRUE(entries);
    EXPECT_TRUE(entries->empty());
}

TEST(Maps, ThatAreArraysAreReadInOrder)
{
    Fd map = create(BPF_MAP_TYPE_ARRAY, 8, 3);
    NEEDS(map);
    uint32_t key = 1;
    uint64_t value = 7;
    ASSERT_EQ(bpf_map_update_elem(map.get(), &key, &value, BPF_ANY), 0);
    auto entries = read_map<uint32_t, uint64_t>(map.get());
    ASSERT_TRUE(entries);
    EXPECT_EQ(*entries, (std::vector<std::pair<uint32_t, uint64_t>>{{0, 0}, {1, 7}, {2, 0}}));
}

TEST(Maps, PerProcessorHandOverAValueForEach)
{
    Fd map = create(BPF_MAP_TYPE_PERCPU_HASH, 4, 10);
    NEEDS(map);
    uint32_t key = 5, processors = libbpf_num_possible_cpus();
    std::vector<uint64_t> values(processors);
    for (uint32_t i = 0; i < processors; i++)
        values[i] = 10 + i;
    ASSERT_EQ(bpf_map_update_elem(map.get(), &key, values.data(), BPF_ANY), 0);
    int entries = 0;
    ASSERT_TRUE(read_map(map.get(), [&](Bytes got_key, Bytes got) {
        entries++;
        EXPECT_EQ(got_key.read<uint32_t>(0), 5u);
        ASSERT_EQ(got.size(), 8 * processors);
        for (uint32_t i = 0; i < processors; i++)
            EXPECT_EQ(got.read<uint32_t>(8 * i), 10 + i);
    }));
    EXPECT_EQ(entries, 1);
}

TEST(Maps, OfCountersAreAddedUp)
{
    Fd map = create(BPF_MAP_TYPE_PERCPU_ARRAY, 8, 1);
    NEEDS(map);
    uint32_t key = 0, processors = libbpf_num_possible_cpus();
    std::vector<uint64_t> values(processors, 21);
    ASSERT_EQ(bpf_map_update_elem(map.get(), &key, values.data(), BPF_ANY), 0);
    EXPECT_EQ(read_counter(map.get()).value_or(0), 21u * processors);
}

TEST(Maps, ThatAreNoneAreAnError)
{
    EXPECT_FALSE(read_counter(-1));
}

TEST(Maps, ReadWhileTheyGrowLoseNothing)
{
    Fd map = create(BPF_MAP_TYPE_HASH, 8, 20000);
    NEEDS(map);
    constexpr uint32_t keys = 2000, rounds = 20;
    std::thread writer([&] {
        for (uint64_t round = 1; round <= rounds; round++) {
            for (uint32_t key = 0; key < keys; key++)
                bpf_map_update_elem(map.get(), &key, &round, BPF_ANY);
        }
    });
    TableReader reader(map.get(), TableReader::Holds::Counts);
    uint64_t total = 0;
    auto read = [&] {
        auto add = [&](Bytes, const histogram_slot &added) { total += added.count; };
        ASSERT_TRUE(reader.take(TableReader::Since::LastTime, add));
    };
    for (int i = 0; i < 20; i++)
        read();
    writer.join();
    read();
    EXPECT_EQ(total, uint64_t(keys) * rounds);
}

TEST(TableReader, TellsWhatWasAddedSinceTheLastTimeOrTheStart)
{
    Fd map = create(BPF_MAP_TYPE_HASH, sizeof(histogram_slot), 4);
    NEEDS(map);
    auto put = [&](uint32_t key, histogram_slot slot) {
        ASSERT_EQ(bpf_map_update_elem(map.get(), &key, &slot, BPF_ANY), 0);
    };
    TableReader reader(map.get(), TableReader::Holds::Slots);
    auto read = [&](TableReader::Since since) {
        std::map<uint32_t, std::array<uint64_t, 3>> added;
        EXPECT_TRUE(reader.take(since, [&](Bytes key, const histogram_slot &slot) {
            added[key.read<uint32_t>(0).value()] = {slot.count, slot.sum, slot.max};
        }));
        return added;
    };
    using Added = std::map<uint32_t, std::array<uint64_t, 3>>;
    put(1, {.count = 2, .sum = 30, .max = 20});
    put(2, {.count = 1, .sum = 5, .max = 5});
    put(3, {});
    EXPECT_EQ(read(TableReader::Since::LastTime), (Added{{1, {2, 30, 20}}, {2, {1, 5, 5}}}));
    put(1, {.count = 5, .sum = 100, .max = 40});
    EXPECT_EQ(read(TableReader::Since::LastTime), (Added{{1, {3, 70, 40}}}));
    EXPECT_EQ(read(TableReader::Since::LastTime), Added{});
    EXPECT_EQ(read(TableReader::Since::Start), (Added{{1, {5, 100, 40}}, {2, {1, 5, 5}}}));
}

TEST(TableReader, AddsUpWhatTheProcessorsCounted)
{
    Fd map = create(BPF_MAP_TYPE_PERCPU_HASH, 8, 4);
    NEEDS(map);
    uint32_t key = 7, processors = libbpf_num_possible_cpus();
    std::vector<uint64_t> values(processors, 3);
    ASSERT_EQ(bpf_map_update_elem(map.get(), &key, values.data(), BPF_ANY), 0);
    uint64_t count = 0;
    TableReader reader(map.get(), TableReader::Holds::Counts);
    ASSERT_TRUE(reader.take(TableReader::Since::LastTime,
                            [&](Bytes, const histogram_slot &added) { count = added.count; }));
    EXPECT_EQ(count, 3u * processors);
}

}  // namespace
}  // namespace uscope::kernel
