// Finds files for tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <glob.h>
#include <string.h>

namespace uscope::tests {

// The path of a program in tests/targets, built by the Makefile. If it does not exist, the test
// must fail.
inline std::string target(const std::string &name)
{
    if (const char *folder = getenv("USCOPE_TARGETS"))
        return std::string(folder) + "/" + name;
    auto tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return (tests / "../targets" / name).lexically_normal();
}

// The newest version of the files that match a shell pattern; "" if there is none.
inline std::string installed(const char *pattern)
{
    std::string newest;
    glob_t found = {};
    if (glob(pattern, 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (strverscmp(found.gl_pathv[i], newest.c_str()) > 0)
                newest = found.gl_pathv[i];
        }
    }
    globfree(&found);
    return newest;
}

}  // namespace uscope::tests
