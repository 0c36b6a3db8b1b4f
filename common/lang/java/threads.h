// Java's virtual threads (JDK 21 and later; in 19 and 20 a preview).
#pragma once

#include <string>

#include "elf/image.h"
#include "lang/java/hotspot.h"

namespace uscope::lang {

struct VirtualThreads {
    enum class Identified : uint8_t {
        None,        // this JVM has no virtual threads
        Undetected,  // it is unknown whether a call is one of a virtual thread
        Detected,    // all virtual threads have the number VIRTUAL_THREAD_BETWEEN
        ByNumbers,   // each virtual thread has its number
    };
    Identified identified = Identified::None;
    // An expression for the virtual thread at the probes of methods, with the numbers of
    // bpf/runtimes/virtual_thread.h; empty if there is none.
    std::string expression = {};
};

// `image`: libjvm.so; null if it cannot be read.
VirtualThreads find_virtual_threads(const Hotspot &jvm, const Memory &memory,
                                    const elf::Image *image);

}  // namespace uscope::lang
