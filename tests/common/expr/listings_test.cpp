// The generated programs of all kinds of requests are those of tests/recordings/listings.txt, so
// that no change of the compiler changes a program unseen. After an intended change:
// USCOPE_UPDATE_LISTINGS=1 build/tests/unit --gtest_filter='Listings.*'
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "support/expr_program.h"
#include "support/recording.h"

using namespace uscope;
using namespace uscope::expr;
using uscope::test::TestRequest;

namespace {

class Listings : public testing::Test {
  protected:
    void add(const std::string &title, TestRequest &request)
    {
        text_ += "== " + title + "\n" + listing(test::must_compile(request));
        auto entry = request.compile_entry();
        ASSERT_TRUE(entry) << entry.error().text;
        if (*entry)
            text_ += "-- entry\n" + listing(**entry);
    }

    void add_values(const std::string &title, const std::vector<TestRequest::Value> &values,
                    const std::string &predicate = "")
    {
        TestRequest request;
        request.values = values;
        request.predicate = predicate;
        add(title, request);
        request.request.sleepable = true;
        add(title + ", sleepable", request);
    }

    std::string text_;
};

TEST_F(Listings, AreThoseOfTheRecording)
{
    add_values("no values", {});
    add_values("integers", {{"arg1"}, {"i"}, {"b * 2"}, {"l / i"}}, "arg1 == 3 && arg2 > 4");
    add_values("memory", {{"p->id"}, {"p->high"}, {"p->cross"}, {"p->real"}, {"on_stack"}},
               "p->next->id + p->list[p->id] == p->inner.y");
    add_values("strings", {{"path"}, {"str(path, i)"}, {"buf(path, arg2)"}, {"p->name"}});
    add_values("compared strings", {{"i"}},
               "path == \"abc\" || starts_with(p->text, \"/usr/lib\") || $comm == \"bash\"");
    add_values("builtins", {{"$pid"}, {"$tid"}, {"$uid"}, {"$cgroup"}, {"$comm"}}, "$cpu < 64");

    TestRequest filtered;
    expr::ProcessFilter &filter = filtered.request.filter;
    filter.tgids = {1, 2, 3};
    filter.tid = 7;
    filter.uid = 1000;
    filter.comms = {"redis"};
    add("filters", filtered);
    filter.in_targets_map = filter.in_cgroup = filter.in_cgroups_map = true;
    filter.pidns_device = 4;
    filter.pidns_inode = 4026531836;
    add("filters in a pid namespace, with maps", filtered);

    for (auto [title, identity] : {std::pair("stack pointer", CallIdentity::StackPointer),
                                   std::pair("function", CallIdentity::Function),
                                   std::pair("goroutine", CallIdentity::Goroutine),
                                   std::pair("only of goroutine", CallIdentity::OnlyOfGoroutine)}) {
        TestRequest call;
        call.on_return().predicate = "$latency > 1000 && $entry(arg1) == 3";
        call.values = {{"$latency"}, {"$entry(path)"}, {"retval"}};
        call.request.calls.key = identity;
        call.request.probe = 60000;
        add(std::string("return, call by ") + title, call);
    }
    TestRequest shared;
    shared.on_return().values = {{"$latency"}};
    shared.request.calls.key = CallIdentity::Function;
    shared.request.calls.shares_exits = true;
    add("return at shared exits", shared);
    shared.values.clear();
    shared.request.calls.only_deletes_record = true;
    add("tail call", shared);
    TestRequest branches;
    branches.on_return().values = {{"$latency"}};
    branches.request.calls.key = CallIdentity::Function;
    branches.request.calls.at_branches = true;
    add("return at branches", branches);
    branches.values.push_back({"retval"});
    add("return at branches, with the result", branches);

    TestRequest counted;
    add("count", counted.as_key());
    counted.values = {{"p->id"}, {"path"}, {"$comm"}};
    add("count by keys", counted);
    counted.measured = "l";
    add("measure by keys", counted);
    counted.request.buckets = output::LinearScale{-50, 50, 7};
    add("measure in linear buckets", counted);
    TestRequest timed;
    timed.on_return().as_key().values = {{"$entry(path)"}, {"retval"}};
    timed.measured = "$latency";
    timed.predicate = "$latency > 1000";
    timed.request.event_output.checks_at_entry = true;
    add("measure calls, checked at their entries", timed);

    std::string path = tests::recordings_folder() / "listings.txt";
    if (getenv("USCOPE_UPDATE_LISTINGS"))
        std::ofstream(path) << text_;
    std::string recorded = read_file(path).value_or("");
    if (recorded == text_)
        return;
    size_t at = std::mismatch(recorded.begin(), recorded.end(), text_.begin(), text_.end()).first -
                recorded.begin();
    size_t title = std::min(text_.rfind("== ", at), text_.size());
    FAIL() << "the program changed: " << text_.substr(title, text_.find('\n', title) - title)
           << ", near\n"
           << text_.substr(std::min(at, text_.size()), 200);
}

}  // namespace
