#include "lang/jit_names.h"

#include <gtest/gtest.h>

namespace uscope::lang {
namespace {

JitMethod parsed(std::string_view name)
{
    return parse_jit_name(name).value_or(JitMethod{"no function", ""});
}

TEST(JitNames, AreOneForAllTiers)
{
    for (const char *mark : {"", "~", "^", "+", "+'", "*", "*'", "o+", "o+'", "o*", "o*'"}) {
        std::string name = std::string("JS:") + mark + "pay /srv/my shop.js:12:13";
        EXPECT_EQ(parsed(name), (JitMethod{"pay", "my shop.js:12"})) << name;
    }
    EXPECT_EQ(parsed("LazyCompile:*of /srv/a.js:1:19"), (JitMethod{"of", "a.js:1"}));
    EXPECT_EQ(parsed("Function:~o /srv/a.js:1:19"), (JitMethod{"o", "a.js:1"}));
}

TEST(JitNames, MayBeMissing)
{
    EXPECT_EQ(parsed("JS:~ file:///srv/a.mjs:3:1"), (JitMethod{"<anonymous>", "a.mjs:3"}));
    EXPECT_EQ(parsed("Script:~ node:internal/timers:1:1"),
              (JitMethod{"<anonymous>", "node:internal/timers:1"}));
    EXPECT_EQ(parsed("JS:*get size ext:core/01_core.js:7:9"),
              (JitMethod{"get size", "ext:core/01_core.js:7"}));
    EXPECT_EQ(parsed("JS:*pay"), (JitMethod{"pay", ""}));
    EXPECT_EQ(parsed("JS:*"), (JitMethod{"<anonymous>", ""}));
}

TEST(JitNames, OfJavaScriptCoreHaveNoHash)
{
    for (const char *tier : {"Baseline", "DFG", "FTL"})
        EXPECT_EQ(parsed(std::string("JSC-") + tier + ": pay#DV4ajw"), (JitMethod{"pay", ""}));
    EXPECT_EQ(parsed("JSC-FTL: #AD9Ktn"), (JitMethod{"<anonymous>", ""}));
    EXPECT_EQ(parsed("JSC-DFG: <eval>#AwlW15"), (JitMethod{"<eval>", ""}));
    EXPECT_EQ(parsed("JSC-Baseline: /srv/shop.mjs#Em5lY5"), (JitMethod{"<anonymous>", "shop.mjs"}));
}

TEST(JitNames, OfErlangAreThoseOfItsSource)
{
    EXPECT_EQ(parsed("$shop:pay/2"), (JitMethod{"shop:pay/2", ""}));
    EXPECT_EQ(parsed("$global::process_main"), (JitMethod{"global::process_main", ""}));
}

TEST(JitNames, LeaveOthersAsTheyAre)
{
    for (const char *name : {"JSC-Thunk: charAt", "JSC-FTLThunk: unspecified", "Builtin:ArrayMap",
                             "RegExp:a*b", "py::pay:/srv/a.py", "Octi::fest()", "$"})
        EXPECT_FALSE(parse_jit_name(name)) << name;
}

}  // namespace
}  // namespace uscope::lang
