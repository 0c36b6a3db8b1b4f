#include "lang/runtime.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "common/proc/fixture.h"

namespace uscope::lang {
namespace {

using uscope::tests::TempFolder;

// A process that sleeps, and whose program has the name that a test chooses.
class Program {
  public:
    explicit Program(const std::string &name) : path_(folder_.copy(name, "/bin/sleep"))
    {
        int ends[2];
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        pid_ = fork();
        if (pid_ == 0) {
            execl(path_.c_str(), path_.c_str(), "1000", nullptr);
            _exit(1);
        }
        close(ends[1]);
        char byte;
        // exec closes the other end, and maps the program afterwards.
        EXPECT_EQ(::read(ends[0], &byte, 1), 0);
        close(ends[0]);
        for (int tries = 10'000; tries && !is_mapped(); tries--)
            usleep(1000);
    }
    ~Program()
    {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }

  private:
    bool is_mapped() const
    {
        auto maps = proc::read_maps(pid_);
        return maps && std::any_of(maps->begin(), maps->end(),
                                   [this](auto &mapping) { return mapping.path == path_; });
    }

    TempFolder folder_;
    std::string path_;
    pid_t pid_ = 0;
};

TEST(Runtime, IsKnownByTheNameOfTheExecutable)
{
    for (auto [name, language] : {std::pair("python3.11", &python), std::pair("php8.2", &php),
                                  std::pair("php-fpm8.2", &php), std::pair("perl5.36", &perl),
                                  std::pair("tclsh8.6", &tcl), std::pair("nodejs", &node)}) {
        Program program(name);
        auto runtime = find_runtime(program.pid());
        ASSERT_TRUE(runtime) << runtime.error().text;
        EXPECT_EQ(runtime->language, language) << name;
        EXPECT_TRUE(runtime->object.path.ends_with(name)) << runtime->object.path;
    }
}

TEST(Runtime, HasTheVersionOfItsName)
{
    Program program("perl5.36");
    EXPECT_EQ(find_runtime(program.pid())->version, (Version{5, 36, 0}));
}

TEST(Runtime, IsNotKnownByAFolder)
{
    Program program("nodeuser/mariadbd");
    auto runtime = find_runtime(program.pid());
    ASSERT_FALSE(runtime);
    EXPECT_NE(runtime.error().text.find("(mariadbd) runs none of these languages"),
              std::string::npos);
}

TEST(Runtime, IsOfTheWantedLanguageOrNone)
{
    Program program("php8.2");
    EXPECT_EQ(find_runtime(program.pid(), &php)->language, &php);
    auto other = find_runtime(program.pid(), &ruby);
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().text.find("(php8.2) does not run Ruby"), std::string::npos);
}

TEST(Runtime, OffersNothingWithoutProbesAndSaysWhatToDo)
{
    for (auto [name, way_out] :
         {std::pair("python3.9", "--with-dtrace"), std::pair("perl", "-Dusedtrace"),
          std::pair("tclsh", "--enable-dtrace"), std::pair("node", "--perf-basic-prof"),
          std::pair("php", "--enable-dtrace"), std::pair("python3.13", "3.12 to 3.14")}) {
        Program program(name);
        Availability available = availability(*find_runtime(program.pid()), Event::MethodEntry);
        EXPECT_TRUE(available.hooks.empty()) << name;
        ASSERT_EQ(available.notes.size(), 1u) << name;
        EXPECT_NE(available.notes[0].find(way_out), std::string::npos) << available.notes[0];
    }
}

}  // namespace
}  // namespace uscope::lang
