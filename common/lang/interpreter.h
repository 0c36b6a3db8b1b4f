// Interpreters whose frames the kernel side walks (bpf/lib/unwind.h): where these are, and what they are
// called. A language describes its own in one file, as lang/python_frames.h does.
//
// Names are read when the frames have been seen, a moment later; or they were sent before, if code goes as
// soon as it is left. Code that has gone by then is told from what lies there now by the bits of its hash
// that came with the frame.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "elf/frames.h"
#include "lang/interpreted_frame.h"
#include "lang/version.h"
#include "lib/unwind.h"

namespace uscope::lang {

class Memory;

// What a frame executes.
struct Code {
    std::string function = {}, file = {};
    // At so many bytes of it, or at that line; 0: not known. None: it is a function in C.
    std::function<uint32_t(uint64_t at)> line = {};
    // What it is called at a place, where `function` is "".
    std::function<std::string_view(uint64_t at)> function_at = {};
    // Bytes at its beginning, where a frame is not yet one that the language knows.
    uint64_t first = 0;
    // No function: the C stack ends here, and what follows in the list has another one.
    bool is_stack_end = false;
};

// Where glibc keeps a thread's values for keys, and the blocks of more of them: in struct pthread.
constexpr uint16_t glibc_values_at = 0x310, glibc_blocks_at = 0x510;

// Of a file; addresses are the file's own.
struct Interpreter {
    unwind_interpreter frames = {};
    // The evaluation loop. Each of its activations executes the frames up to one with UNWIND_FRAME_ENDS.
    std::vector<elf::Frame> loop = {};
    unsigned position_unit = 1;  // of UNWIND_FRAME_POSITION: so many bytes, or lines
    // `bias`: addresses in the process less those of the file.
    std::function<std::optional<Code>(const Memory &, uint64_t bias, uint64_t code)> read = {};
    // Of languages whose names are sent. Nothing: not all of it could be read by then.
    std::function<std::optional<Code>(const unwind_code &sent)> take = {};
    // What its JIT compiler makes executes in the frame of the loop, and keeps that.
    bool compiles_into_loop = false;
    // The loop may call itself for what it executes already, by way of this function and one more at most.
    std::string_view reenters_by = {};

    bool is_loop(uint64_t vaddr) const;
};

// Could it be the file of an interpreter that is known here? By its name.
bool may_interpret(std::string_view file_name);
// `file_name`: as the process sees it. Nothing: it is none; or one whose functions cannot be read: then `unknown` is set to what it
// is, as "Python 3.16".
std::optional<Interpreter> find_interpreter(const elf::Image &image, const elf::Frames &frames,
                                            std::string_view file_name,
                                            std::string *unknown = nullptr);
// Sets `unknown`, if somebody asks for it.
std::nullopt_t is_unknown(std::string *unknown, std::string_view language, const Version &version);

// The loop's function may be in parts: those that its jumps lead to, where the frame has been made already.
std::vector<elf::Frame> find_loop(const elf::Image &image, const elf::Frames &frames,
                                  uint64_t start);

// An interpreter's file as a process has loaded it. `bias`: what to add to the file's virtual addresses.
struct LoadedInterpreter {
    const Interpreter *interpreter;
    uint64_t bias;
    bool operator==(const LoadedInterpreter &) const = default;
};

// The names of what processes execute, read once.
class CodeNames {
  public:
    // `memory` is of `pid` now; none: it has ended, and what is known of it has to do.
    std::vector<InterpretedFrame> frames(const LoadedInterpreter &of, pid_t pid,
                                         const Memory *memory, const unwind_interpreted &frames);
    void add(const LoadedInterpreter &of, const Memory *memory, const unwind_code &sent);
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
    const Known *find(const LoadedInterpreter &of, const Memory *memory, const Key &key);
    const Known *keep(const Key &key, uint64_t hash, Code code);
    std::map<Key, Known> known_;
};

}  // namespace uscope::lang
