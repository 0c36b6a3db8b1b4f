// Interpreters whose frames the kernel side walks (bpf/unwind/unwind.h): where the frames are, and
// how to name them. Each language describes its interpreter in one file, such as
// lang/python/frames.h.
//
// The tool reads names a moment after the walk. If an interpreter frees code as soon as the code
// returns (PHP), the kernel side sends the names before that. Each frame comes with bits of a hash
// of its code; if other code is at that address when the tool reads it, the hash differs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "bpf/unwind/unwind.h"
#include "elf/frames.h"
#include "elf/symbols.h"
#include "lang/interpreted_frame.h"
#include "lang/version.h"

namespace uscope::lang {

class Memory;

// What a frame executes.
struct Code {
    std::string function = {}, file = {};
    // Returns the line for a position, which is an offset in bytes, or already a line; 0: unknown.
    // Null for a function in C.
    std::function<uint32_t(uint64_t at)> line = {};
    // Returns the name for a position, if `function` is "".
    std::function<std::string_view(uint64_t at)> function_at = {};
    // A frame at a position before this one does not exist yet as far as the language is concerned.
    uint64_t first = 0;
    // Not a function: the C stack ends here, and the frames that follow in the list are on another
    // one.
    bool is_stack_end = false;
};

// Offsets in glibc's struct pthread: of the thread's values for the first keys
// (pthread_getspecific), and of the pointers to blocks of values for the other keys.
constexpr uint16_t glibc_values_at = 0x310, glibc_blocks_at = 0x510;

// The interpreter in a file; addresses are virtual addresses in the file.
struct Interpreter {
    unwind_interpreter frames = {};
    // The pieces of the evaluation loop's code. Each activation of the loop executes the frames up
    // to the first one with UNWIND_FRAME_ENDS.
    std::vector<elf::Frame> loop = {};
    unsigned position_unit = 1;  // bytes (or lines) per unit of UNWIND_FRAME_POSITION
    // Reads the code at an address. `bias`: what to add to the file's addresses.
    std::function<std::optional<Code>(const Memory &, uint64_t bias, uint64_t code)> read = {};
    // Makes the code from names that the kernel side has sent; null for languages whose names it
    // does not send. Returns nullopt if the kernel side could not read all of them.
    std::function<std::optional<Code>(const unwind_code &sent)> take = {};
    // JIT code runs in the frame of the loop, and keeps that frame.
    bool compiles_into_loop = false;
    // The loop may call itself without a new interpreted frame, through this function and at most
    // one more.
    std::string_view reenters_by = {};

    bool is_loop(uint64_t vaddr) const;
    // Makes the walk read the frame and the position from registers if the thread is in the largest
    // piece of the loop, which keeps them there. Returns false if the loop is empty.
    bool use_registers();
};

// Can a file with this name be an interpreter that is known here?
bool may_interpret(std::string_view file_name);
// `file_name`: as the process sees it. Returns nullopt if the file is not an interpreter, or is one
// whose frames are not known; then sets `unknown` to its name: "Python 3.16".
std::optional<Interpreter> find_interpreter(const elf::Image &image, const elf::Frames &frames,
                                            std::string_view file_name,
                                            std::string *unknown = nullptr);
// Returns nullopt, and sets `unknown` unless it is null.
std::nullopt_t is_unknown(std::string *unknown, std::string_view language, const Version &version);

// Sets the symbols with these names; those that the file lacks stay as they are.
struct NamedSymbol {
    std::string_view name;
    elf::Symbol *symbol;
};
void find_symbols(const elf::Image &image, std::initializer_list<NamedSymbol> wanted);

// Returns all parts of the loop's function, because the compiler may have moved some of it
// elsewhere. Finds them by jumps to code that already has the loop's frame.
std::vector<elf::Frame> find_loop(const elf::Image &image, const elf::Frames &frames,
                                  uint64_t start);

// An interpreter's file as a process has loaded it. `bias`: what to add to the file's virtual
// addresses.
struct LoadedInterpreter {
    const Interpreter *interpreter;
    uint64_t bias;
    bool operator==(const LoadedInterpreter &) const = default;
};

// Names the interpreted frames of processes; reads each name once.
class CodeNames {
  public:
    // `memory`: that of `pid` now; null if the process has exited: then only names read before are
    // known.
    std::vector<InterpretedFrame> frames(const LoadedInterpreter &loaded, pid_t pid,
                                         const Memory *memory, const unwind_interpreted &frames);
    void add(const LoadedInterpreter &loaded, const Memory *memory, const unwind_code &sent);
    void forget(pid_t pid);

  private:
    struct Known {
        uint64_t hash = 0;
        Code code;
    };
    struct Key {
        pid_t pid;
        uint64_t code;
        uint8_t check;
        auto operator<=>(const Key &) const = default;
    };
    const Known *find(const LoadedInterpreter &loaded, const Memory *memory, const Key &key);
    const Known *keep(const Key &key, uint64_t hash, Code code);
    std::map<Key, Known> known_;
};

}  // namespace uscope::lang
