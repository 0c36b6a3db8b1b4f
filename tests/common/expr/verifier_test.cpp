// The running kernel's verifier accepts every kind of generated program.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include "base/fd.h"
#include "expr/program.h"
#include "support/expr_program.h"

using namespace uscope;
using namespace uscope::expr;
using uscope::test::TestRequest;

namespace {

// A minimal emit function: submits the record.
std::vector<bpf_insn> emit_function()
{
    auto insn = [](uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm) {
        return bpf_insn{.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
    };
    return {
        insn(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 3, 0),
        insn(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0),
        insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 0),
        insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_submit),
        insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
        insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
}

// A minimal emit function of OutputKind::Key: looks up the key, if there is one.
std::vector<bpf_insn> count_function(bool has_key)
{
    auto insn = [](uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm) {
        return bpf_insn{.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
    };
    std::vector<bpf_insn> insns = {
        insn(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_5, 0, has_key ? 3 : 0, 0),
        insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
        insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
    if (has_key)
        insns.insert(insns.begin() + 1,
                     {insn(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0),
                      insn(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_3, 0, 0),
                      insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem)});
    return insns;
}

class Verifier : public testing::Test {
  protected:
    void SetUp() override
    {
        events_ = Fd(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "events", 0, 0, 1 << 20, nullptr));
        if (!events_)
            GTEST_SKIP() << "no BPF maps here: " << strerror(errno);
    }

    static Fd make_map(const Program &program, MapSlot slot)
    {
        uint32_t value = program.call_bytes;
        switch (slot) {
        case MapSlot::Calls:
            return Fd(bpf_map_create(BPF_MAP_TYPE_HASH, "calls", 16, value, 64, nullptr));
        case MapSlot::CallZero:
            return Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "zero", 4, value, 1, nullptr));
        case MapSlot::Targets:
            return Fd(bpf_map_create(BPF_MAP_TYPE_HASH, "targets", 4, 4, 64, nullptr));
        case MapSlot::Table: {
            bool has_key = !program.layouts.empty() && !program.layouts[0].fields.empty();
            if (!has_key)
                return Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "table", 4, 8, 1, nullptr));
            return Fd(bpf_map_create(BPF_MAP_TYPE_HASH, "table", program.layouts[0].record_bytes, 8,
                                     64, nullptr));
        }
        case MapSlot::Sites:
            return Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "sites", 4, 4, 1, nullptr));
        case MapSlot::Exits:
            return Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "exits", 4, 56, 1, nullptr));
        case MapSlot::Cgroups:
            return Fd(bpf_map_create(BPF_MAP_TYPE_HASH, "cgroups", 8, 1, 64, nullptr));
        case MapSlot::Cgroup:
            return Fd(bpf_map_create(BPF_MAP_TYPE_CGROUP_ARRAY, "cgroup", 4, 4, 1, nullptr));
        default:
            return Fd();
        }
    }

    void expect_accepted(const Program &program, bpf_prog_type type = BPF_PROG_TYPE_KPROBE,
                         bool sleepable = false, bool is_key_entry = false)
    {
        ASSERT_FALSE(program.insns.empty());
        std::vector<bpf_insn> insns = program.insns;
        std::map<MapSlot, Fd> maps;
        for (const auto &use : program.maps) {
            if (use.map != MapSlot::Events && !maps.count(use.map))
                maps.emplace(use.map, make_map(program, use.map));
            insns[use.insn].imm =
                use.map == MapSlot::Events ? events_.get() : maps.at(use.map).get();
        }
        for (const auto &use : program.calls)
            insns[use.insn].imm = insns.size() - use.insn - 1;
        if (!program.calls.empty()) {
            bool counts = maps.count(MapSlot::Table) || is_key_entry;
            bool has_key = counts && !is_key_entry && !program.layouts[0].fields.empty();
            auto emit = counts ? count_function(has_key) : emit_function();
            insns.insert(insns.end(), emit.begin(), emit.end());
        }
        std::vector<char> log(1 << 24);
        bpf_prog_load_opts options = {};
        options.sz = sizeof(options);
        options.log_level = 1;
        options.log_buf = log.data();
        options.log_size = log.size();
        options.prog_flags = sleepable ? BPF_F_SLEEPABLE : 0;
        Fd fd(bpf_prog_load(type, "expr_test", "GPL", insns.data(), insns.size(), &options));
        if (!fd && errno == EPERM)
            GTEST_SKIP() << "may not load BPF programs here";
        std::string_view text(log.data());
        if (text.size() > 4000)
            text.remove_prefix(text.size() - 4000);
        EXPECT_TRUE(bool(fd)) << text << "\n" << listing(program);
    }

    void expect_accepted(TestRequest &request, bool sleepable = false)
    {
        request.request.sleepable = sleepable;
        expect_accepted(test::must_compile(request), BPF_PROG_TYPE_KPROBE, sleepable);
        auto entry = request.compile_entry();
        ASSERT_TRUE(entry.has_value()) << entry.error().text;
        if (*entry)
            expect_accepted(**entry, BPF_PROG_TYPE_KPROBE, sleepable,
                            request.request.event_output.kind == OutputKind::Key);
    }

  private:
    Fd events_;
};

TEST_F(Verifier, AcceptsReturnsOfGoFunctions)
{
    for (auto key :
         {CallIdentity::Function, CallIdentity::Goroutine, CallIdentity::OnlyOfGoroutine}) {
        for (bool sleepable : {false, true}) {
            TestRequest request;
            request.on_return();
            request.request.calls.key = key;
            request.request.probe = 60000;
            request.predicate = "retval > 3";
            request.values = {{"$entry(arg1)"}, {"$latency"}, {"$entry(path)"}};
            expect_accepted(request, sleepable);
            request.request.filter.tid = 8;
            request.request.filter.uid = 1000;
            request.request.filter.comms = {"redis-server", "redis"};
            expect_accepted(request, sleepable);
        }
    }
}

TEST_F(Verifier, AcceptsReturnsAtBranches)
{
    for (bool shares_exits : {false, true}) {
        TestRequest request;
        request.on_return();
        request.request.calls.key = CallIdentity::Function;
        request.request.calls.at_branches = true;
        request.request.calls.shares_exits = shares_exits;
        request.predicate = "retval > 3";
        request.values = {{"$entry(arg1)"}, {"$latency"}, {"$entry(path)"}};
        expect_accepted(request, false);
        request.request.filter.tid = 8;
        expect_accepted(request, false);
    }
}

TEST_F(Verifier, AcceptsIntegerConditions)
{
    for (const char *text :
         {"arg1 == 3 && arg2 > 4", "i < 0 || u > 4000000000", "!(h & 3) ? b : l / 3",
          "l / i % 7 == -1", "l % (i - 5) > l << (u + 1)", "(arg1 ? i : u) >= h",
          "i + (u * (l - (h | (b ^ (i & (u + (l % (h + 1)))))))) != 5"}) {
        TestRequest request;
        request.predicate = text;
        SCOPED_TRACE(text);
        expect_accepted(request);
    }
}

TEST_F(Verifier, AcceptsMemoryReads)
{
    for (bool sleepable : {false, true}) {
        TestRequest request;
        request.predicate = "p->next->id + p->list[p->id] == p->inner.y / p->next->inner.y";
        request.values = {{"p->id"},   {"p->high"},  {"p->cross"},
                          {"p->real"}, {"on_stack"}, {"item"}};
        expect_accepted(request, sleepable);
    }
}

TEST_F(Verifier, AcceptsStringComparisons)
{
    std::string longest(256, 'x');
    for (const std::string &text : std::initializer_list<std::string>{
             "path == \"abc\"", "path != \"\"", "starts_with(path, \"/usr/lib\")",
             "path == \"" + longest + "\"", "str(path, i) == \"abcdefghi\"",
             "starts_with(buf(path, u), \"a\\0b\")", "p->name == \"sixteen letters!\"",
             "p->name != \"x\"", "$comm == \"bash\" || starts_with($comm, \"ba\")",
             "path == \"a\" || path == \"b\" || p->text == \"c\"",
             "contains(path, \"SELECT\") || contains(str(path, i), \"a longer text than 8 bytes\")",
             "ends_with(path, \".json\") && ends_with(str(path, i), \".json\")",
             "memcmp(path, \"\\x16\\x03\") == 0 && bswap(i) > 5 && port(path) == 80",
             "contains($comm, \"sh\") && contains(p->name, \"letters\")",
             "contains(libcxx_string, \"0123456789012345678901234567890123456789\")"}) {
        for (bool sleepable : {false, true}) {
            TestRequest request;
            request.predicate = text;
            SCOPED_TRACE(text);
            expect_accepted(request, sleepable);
        }
    }
}

TEST_F(Verifier, AcceptsStringsInRecords)
{
    for (uint32_t bytes : {1u, 80u, 512u, 513u, 4096u, 65536u}) {
        for (bool sleepable : {false, true}) {
            TestRequest request;
            request.request.string_bytes = bytes;
            request.values = {{"path"},         {"str(path, i)"},  {"buf(path, arg2)"},
                              {"p->name"},      {"$comm"},         {"str(arg1)"},
                              {"str(path, 5)"}, {"p->next->text"}, {"i"}};
            SCOPED_TRACE(bytes);
            expect_accepted(request, sleepable);
        }
    }
}

TEST_F(Verifier, AcceptsManyLongStrings)
{
    TestRequest request;
    request.request.string_bytes = 16384;
    for (int i = 0; i < 12; i++)
        request.values.push_back({"path"});
    expect_accepted(request, true);
}

TEST_F(Verifier, AcceptsBuiltins)
{
    TestRequest request;
    request.predicate = "$pid != 5 && ($uid || $gid == 7) && $cpu < 64";
    request.values = {{"$tid"}, {"$tgid"}, {"$cgroup"}, {"$comm"}, {"$gid"}};
    expect_accepted(request);
}

TEST_F(Verifier, AcceptsEveryFilter)
{
    TestRequest request;
    auto &filter = request.request.filter;
    filter.tgids = {1, 2, 3};
    filter.in_targets_map = true;
    filter.tid = 7;
    filter.uid = 4294967294;
    filter.comms = {"bash", "a name that is far too long"};
    filter.in_cgroup = true;
    filter.not_tgid = 8;
    request.values = {{"$pid"}};
    expect_accepted(request);
    filter.pidns_device = 4;
    filter.pidns_inode = 4026531836;
    expect_accepted(request);
}

TEST_F(Verifier, AcceptsCallRecords)
{
    for (uint32_t bytes : {20u, 80u, 300u, 65536u}) {
        for (bool sleepable : {false, true}) {
            TestRequest request;
            request.on_return().predicate =
                "$latency > 1000 && $entry(arg1) == 3 && $entry(path) == \"abcdefghijk\"";
            request.request.string_bytes = bytes;
            request.values = {{"$latency"},      {"$entry(path)"},  {"$entry(str(path, i))"},
                              {"$entry(p)->id"}, {"$entry($comm)"}, {"$entry(p->real)"},
                              {"retval"},        {"path"}};
            SCOPED_TRACE(bytes);
            expect_accepted(request, sleepable);
        }
    }
}

TEST_F(Verifier, AcceptsCallRecordsWithoutCondition)
{
    TestRequest request;
    request.on_return().values = {{"$latency"}, {"$entry(arg1)"}};
    expect_accepted(request);
}

TEST_F(Verifier, AcceptsKeys)
{
    using Values = std::vector<TestRequest::Value>;
    for (const Values &values :
         {Values{}, Values{{"i"}}, Values{{"p->id"}, {"path"}, {"$comm"}},
          Values{{"p->real"}, {"str(path, i)"}, {"buf(path, 3)"}, {"odd"}}}) {
        for (const char *measured : {"", "l", "p->next->id"}) {
            for (bool sleepable : {false, true}) {
                TestRequest request;
                request.as_key().values = values;
                request.measured = measured;
                request.predicate = "arg1 != 3";
                expect_accepted(request, sleepable);
            }
        }
    }
}

TEST_F(Verifier, AcceptsLinearBuckets)
{
    for (const char *measured : {"l", "i", "u", "arg1", "b", "p->id", "seven"}) {
        for (output::LinearScale scale :
             {output::LinearScale{0, 100, 10}, output::LinearScale{-50, -10, 7},
              output::LinearScale{-5, 5, 1},
              output::LinearScale{INT64_MIN, INT64_MAX, uint64_t(1) << 60}}) {
            TestRequest request;
            request.as_key().measured = measured;
            request.request.buckets = scale;
            SCOPED_TRACE(measured);
            expect_accepted(request);
        }
    }
}

TEST_F(Verifier, AcceptsKeysOfCalls)
{
    TestRequest request;
    request.on_return().as_key().values = {{"$entry(path)"}, {"$entry(arg1)"}, {"retval"}};
    request.measured = "$latency";
    request.predicate = "$latency > 1000";
    for (uint32_t bytes : {20u, 80u}) {
        request.request.string_bytes = bytes;
        expect_accepted(request);
        expect_accepted(request, true);
    }
}

TEST_F(Verifier, AcceptsConditionsThatAreConstantAtOneSite)
{
    for (const char *text :
         {"seven == 8", "seven == 7", "seven == 7 && arg1", "arg1 && seven == 8"}) {
        TestRequest request;
        request.on_return().predicate = text;
        request.values = {{"seven"}, {"$latency"}};
        SCOPED_TRACE(text);
        expect_accepted(request);
    }
}

TEST_F(Verifier, AcceptsTracepointFields)
{
    for (uint32_t bytes : {5u, 80u, 1000u}) {
        TestRequest request;
        request.scope = test::tracepoint_scope();
        request.predicate =
            "args->nr > 3 && args->comm == \"bash\" && starts_with(args->where, \"/a\") "
            "&& args->values[1] < 0 && args->odd";
        request.request.string_bytes = bytes;
        request.values = {{"args->nr"},    {"args->filename@user"}, {"args->comm"},
                          {"args->where"}, {"args->filename"},      {"args->comm[3]"}};
        SCOPED_TRACE(bytes);
        expect_accepted(test::must_compile(request), BPF_PROG_TYPE_TRACEPOINT);
    }
}

}  // namespace
