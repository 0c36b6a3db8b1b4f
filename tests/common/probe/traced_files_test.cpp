#include "probe/traced_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "probe/events.h"
#include "probe/request.h"
#include "run/tool.h"
#include "support/files.h"

namespace uscope::probe {
namespace {

struct Traced {
    run::Tool tool{"tool", {}};
    run::Processes processes;
    TracedFiles files{tool, processes, {.name = "files"}};

    // Adds the probes of a file, which have two sites. On kernels without attach cookies, each site
    // needs an entry in the map of sites.
    Result<> add(proc::FileId id, BuildOptions build)
    {
        build.has_cookies = false;
        std::vector<ProbeRequest> probes;
        probes.push_back(TRY(parse_event("p:" + tests::target("values") + ":s* \"\"")));
        probes.back().event_output = record_output();
        probes.back().numbers_sites = true;
        return files.add(
            {.id = id,
             .path = "values",
             .probes = std::make_unique<ProbeSet>(TRY(ProbeSet::build(std::move(probes), build)))});
    }
};

TEST(TracedFiles, NumberTheirSitesTogether)
{
    Traced traced;
    EXPECT_EQ(traced.files.build_options().shared.first_site_entries.sites, 0u);
    ASSERT_TRUE(traced.add({1, 1}, traced.files.build_options()));
    uint32_t entries = traced.files.build_options().shared.first_site_entries.sites;
    EXPECT_GE(entries, 2u);
    ASSERT_TRUE(traced.add({1, 2}, traced.files.build_options()));
    EXPECT_EQ(traced.files.build_options().shared.first_site_entries.sites, 2 * entries);
}

TEST(TracedFiles, AreRefusedIfTheTableOfSitesIsFull)
{
    Traced traced;
    BuildOptions build;
    build.shared.first_site_entries.sites = 1 << 16;
    auto added = traced.add({1, 1}, build);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().text, "too many files: this kernel cannot distinguish their probes");
    EXPECT_FALSE(traced.files.has(proc::FileId{1, 1}));
    EXPECT_EQ(traced.files.build_options().shared.first_site_entries.sites, 0u);
}

TEST(TracedFiles, AreForgottenWithAllTheirSets)
{
    Traced traced;
    for (uint64_t inode : {1, 2, 1})
        ASSERT_TRUE(traced.add({1, inode}, traced.files.build_options()));
    EXPECT_EQ(traced.files.files().size(), 3u);
    traced.files.remove({1, 1});
    EXPECT_FALSE(traced.files.has(proc::FileId{1, 1}));
    EXPECT_TRUE(traced.files.has(proc::FileId{1, 2}));
    EXPECT_FALSE(traced.files.has(std::nullopt));
}

TEST(TracedFiles, AreThoseThatProcessesExecute)
{
    EXPECT_EQ(executed_file(getpid()), proc::file_id("/proc/self/exe"));
    EXPECT_FALSE(executed_file(999'999'999));
}

}  // namespace
}  // namespace uscope::probe
