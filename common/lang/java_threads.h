// Java's virtual threads (JDK 21 and later; in 19 and 20 a preview).
#pragma once

#include <string>

#include "elf/image.h"
#include "lang/hotspot.h"

namespace uscope::lang {

struct VirtualThreads {
    enum class Identified : uint8_t {
        None,       // this JVM has none
        NotAtAll,   // a call may be one of a virtual thread, or not
        Not,        // calls of virtual threads are VIRTUAL_THREAD_BETWEEN
        ByNumbers,  //
    };
    Identified identified = Identified::None;
    // At the probes of methods, as bpf/lib/virtual_thread.h counts; may be empty.
    std::string expression = {};
};

// `image`: libjvm.so; null when it cannot be read.
VirtualThreads find_virtual_threads(const Hotspot &jvm, const Memory &memory,
                                    const elf::Image *image);

}  // namespace uscope::lang
