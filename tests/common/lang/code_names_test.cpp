#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <array>
#include <cstring>

#include "lang/interpreter.h"
#include "lang/memory.h"

namespace uscope::lang {
namespace {

constexpr size_t page = 4096;

// A page that is followed by an unmapped one. It would not be enough to protect the second page,
// because reads of /proc/PID/mem ignore page protection.
class LastPage {
  public:
    LastPage()
        : begin_(static_cast<char *>(
              mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        munmap(begin_ + page, page);
    }
    ~LastPage() { munmap(begin_, page); }
    LastPage(const LastPage &) = delete;
    LastPage &operator=(const LastPage &) = delete;

    template <size_t N>
    uint64_t put(const std::array<uint64_t, N> &words)
    {
        char *at = begin_ + page - sizeof(words);
        memcpy(at, words.data(), sizeof(words));
        return reinterpret_cast<uint64_t>(at);
    }

  private:
    char *begin_;
};

// Returns an interpreter whose code records are shorter for C functions than for others. The record
// of a C function begins with the byte 1, and its hash covers the words 1 to 4. The hash of other
// functions covers the words 1, 2 and 8 to 11.
Interpreter with_short_c_records()
{
    Interpreter made;
    made.frames.has_native = 1;
    made.frames.first_words_at = made.frames.native_words_at = 8;
    made.frames.check_words_at = 64;
    made.frames.check_bytes = 96;
    made.read = [](const Memory &, uint64_t, uint64_t) { return std::optional(Code{"load"}); };
    return made;
}

template <size_t N>
std::string name_of(const std::array<uint64_t, N> &words)
{
    LastPage memory;
    uint64_t code = memory.put(words);
    Interpreter interpreter = with_short_c_records();
    __u64 record[UNWIND_CODE_WORDS] = {};
    memcpy(record, words.data(), sizeof(words));
    unwind_interpreted frames = {};
    frames.count = 1;
    frames.frames[0] = code << 17;
    frames.checks[0] = UNWIND_CHECK_OF(unwind_check(&interpreter.frames, record));
    auto process = Memory::open(getpid());
    CodeNames names;
    return names.frames({&interpreter, 0}, getpid(), &*process, frames).at(0).function;
}

TEST(CodeNames, NamesCodeThatEndsAtUnreadableMemory)
{
    EXPECT_EQ(name_of(std::array<uint64_t, 12>{1, 2, 3, 4, 5}), "load");
    EXPECT_EQ(name_of(std::array<uint64_t, 5>{1, 2, 3, 4, 5}), "load");
}

}  // namespace
}  // namespace uscope::lang
