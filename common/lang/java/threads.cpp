// A virtual thread is mounted on a carrier, a kernel thread, and leaves it whenever it waits. The
// probes of methods pass the number of the carrier's Java thread (arg1). But each carrier has a
// JavaThread, a structure of HotSpot, which leads to the number of the virtual thread that is
// mounted:
//
//     from JDK 24   JavaThread._monitor_owner_id   the number of the current thread, virtual or not
//     before        JavaThread._vthread            a handle of its java.lang.Thread, with field tid
//
// Compiled and interpreted code keep the JavaThread in r15. They call the function that has the
// probe, so r15 still holds the JavaThread there, unless this function saves r15 to use it
// otherwise. Its instructions show whether it does.
//
// The number changes in Thread.setCurrentThread(), in the middle of VirtualThread.mount() and
// unmount(). Some frames of jdk.internal.vm.Continuation belong to the carrier, others to the
// virtual thread. So calls of these methods begin in one thread and end in another. These calls
// count for neither thread; without them, the calls of each thread nest.
#include "lang/java/threads.h"

#include <algorithm>

#include "base/format.h"
#include "bpf/runtimes/virtual_thread.h"
#include "elf/frames.h"
#include "insn/decode.h"
#include "usdt/notes.h"

namespace uscope::lang {
namespace {

constexpr uint64_t max_prologue = 1024;
// Masks off the mark bits of ZGC's pointers.
constexpr uint64_t address_bits = (1ULL << 42) - 1;

bool pushes_r15(Bytes code)
{
    return code.read<uint8_t>(0) == 0x41 && code.read<uint8_t>(1) == 0x57;
}

// Is r15 unchanged from the start of the site's function up to the site?
bool keeps_r15(const elf::Image &image, const elf::Frames &frames, uint64_t site)
{
    auto frame = frames.at(site);
    if (!frame || site - frame->start > max_prologue)
        return false;
    auto code = image.bytes_at(frame->start, site - frame->start);
    for (uint64_t at = 0; code && at < code->size();) {
        Bytes rest = code->from(at);
        auto instruction = insn::decode(rest);
        if (!instruction || pushes_r15(rest))
            return false;
        at += instruction->length;
    }
    return code.has_value();
}

bool is_of_methods(const usdt::Probe &probe)
{
    return probe.provider == "hotspot" &&
           (probe.name == "method__entry" || probe.name == "method__return");
}

bool all_keep_r15(const elf::Image &image)
{
    auto probes = usdt::read_probes(image);
    elf::Frames frames = elf::Frames::of(image);
    return probes && image.machine() == EM_X86_64 &&
           std::all_of(probes->begin(), probes->end(), [&](const usdt::Probe &probe) {
               return !is_of_methods(probe) ||
                      std::all_of(probe.locations.begin(), probe.locations.end(),
                                  [&](const usdt::Location &location) {
                                      return keeps_r15(image, frames, location.vaddr);
                                  });
           });
}

// Are the JVM's pointers to objects addresses? Those of a generational ZGC are not.
bool has_addresses(const Hotspot &jvm)
{
    auto flags = jvm.flags({"UseZGC", "ZGenerational"});
    return !flags["UseZGC"] || (flags.contains("ZGenerational") && !flags["ZGenerational"]);
}

// An expression for the object to which a handle in the JavaThread points.
std::string object(uint64_t handle)
{
    return fmt::format(R"(**(uint64_t **)(reg("r15") + {}))", handle);
}

// An expression for the number of the current thread, virtual or not; empty if there is none.
std::string current_thread(const Hotspot &jvm, const Memory &memory)
{
    if (auto number = jvm.thread_field("_monitor_owner_id"))
        return fmt::format(R"(*(int64_t *)(reg("r15") + {}))", *number);
    auto handle = jvm.thread_field("_vthread");
    auto tid = memory.variable<int32_t>("_ZN16java_lang_Thread11_tid_offsetE");
    if (!handle || !tid || *tid <= 0 || !has_addresses(jvm))
        return "";
    return fmt::format("*(int64_t *)(({} & {:#x}) + {})", object(*handle), address_bits, *tid);
}

// Are the class and the method (as in probes.cpp) those of a call that begins in one thread and
// ends in another?
constexpr const char *is_between =
    R"(starts_with(str(arg2, arg3), "java/lang/VirtualThread") || )"
    R"(starts_with(str(arg2, arg3), "jdk/internal/vm/Continuation") || )"
    R"(starts_with(str(arg4, arg5), "setCurrentThread"))";

}  // namespace

VirtualThreads find_virtual_threads(const Hotspot &jvm, const Memory &memory,
                                    const elf::Image *image)
{
    using Identified = VirtualThreads::Identified;
    auto mounted = jvm.thread_field("_vthread"), own = jvm.thread_field("_threadObj");
    if (!mounted || !own)
        return {};
    if (!image || !all_keep_r15(*image))
        return {Identified::Undetected};
    auto between = static_cast<int64_t>(VIRTUAL_THREAD_BETWEEN);
    std::string number = current_thread(jvm, memory);
    if (number.empty())
        return {Identified::Detected,
                fmt::format("({}) || {} != {} ? {} : {}", is_between, object(*mounted),
                            object(*own), between, VIRTUAL_THREAD_NONE)};
    return {Identified::ByNumbers, fmt::format("({0}) ? {1} : {2} == arg1 ? {3} : {2}", is_between,
                                               between, number, VIRTUAL_THREAD_NONE)};
}

}  // namespace uscope::lang
