# How C and C++ are compiled, for the kernel side and the user side.

VERSION := $(shell cat VERSION 2>/dev/null)
# Warnings are errors only in our own tests (.ci/run, tests/build): new warnings of a newer compiler
# must not break other people's builds.
warnings := -Wall -Wextra $(if $(filter-out 0,$(WERROR)),-Werror)
optimize := -O2
sanitize :=
ifdef SANITIZE
# In instrumented code, GCC warns of variables that are initialized, as its manual says.
sanitize := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -Wno-maybe-uninitialized
optimize := -O1 -g1
endif
cppflags := -I. -Icommon -I$(BUILD)/skel $(if $(LIBBPF),-isystem $(LIBBPF)/include)
version_flag := -DUSCOPE_VERSION='"$(VERSION)"'
# Nothing unwinds through our code (0.35 MB of tables): an exception of a library ends the program,
# and debuggers have .debug_frame.
unwinding := $(if $(sanitize),,-fno-asynchronous-unwind-tables -fno-unwind-tables)
# A unit includes its sources, so GCC takes them for headers and would warn of types that use local
# names.
cxxflags := -std=c++20 -fno-exceptions $(optimize) $(warnings) -Wno-subobject-linkage $(sanitize) $(unwinding) -ffunction-sections -fdata-sections
# Distributions pass -O2 in CXXFLAGS; $(speed) replaces it, so that code that is optimized for size
# stays so.
speed    := -O2
compile   = $(CXX) $(cppflags) $(version_flag) $(CPPFLAGS) $(cxxflags) $(patsubst -O2,$(speed),$(CXXFLAGS))
ldflags  := -Wl,--gc-sections $(if $(LIBBPF),-L$(LIBBPF)/lib64 -L$(LIBBPF)/lib)
static   := $(filter-out 0,$(STATIC))
# Evaluated once, and only when something is linked, because the packages may not be installed
# before. A library comes after its users. In a static program, our own library comes again after
# the others, for functions that Debian 13's lack (common/elf/eu_search.cpp). -liberty is an
# archive in both cases.
system_libs = $(eval system_libs := -lbpf $$(shell pkg-config $(if $(static),--static) --libs libdw libelf liblzma) -lz -lyaml -liberty -lresolv)$(system_libs)
ldlibs    = $(system_libs)
link      = $(CXX) $(cxxflags) $(CXXFLAGS) $(ldflags) $(LDFLAGS)
# How the program is linked, apart from the flags for all programs.
link_kind := $(if $(sanitize),,$(if $(static),-static) $(if $(filter-out 0,$(STRIP)),-s))

bpf_arch_x86_64 := x86
bpf_arch_aarch64 := arm64
# Functions that generated programs call have a fixed signature, and may not use all of its
# parameters.
bpf_flags := -target bpf -g -O2 -mcpu=v2 $(warnings) -Wno-unused-parameter -D__TARGET_ARCH_$(bpf_arch_$(ARCH)) \
    -I. -isystem vmlinux/$(ARCH) $(if $(LIBBPF),-isystem $(LIBBPF)/include) -gno-column-info -fdebug-compilation-dir=/uscope

# If the settings change (another compiler, SANITIZE, a new version), everything is compiled again;
# if STATIC or STRIP change, the program is only linked again. WERROR does not count, because it
# does not change the output. A dry run (make -n) does not change existing settings.
settings := $(BUILD)/settings
link_settings := $(BUILD)/link-settings
link_settings_now := STATIC=$(STATIC) STRIP=$(STRIP)
settings_now := $(filter-out -Werror,$(CXX) $(CPPFLAGS) $(cppflags) $(cxxflags) $(CXXFLAGS) $(LDFLAGS) $(VERSION) \
    $(CLANG) $(bpf_flags) $(if $(filter-out 0,$(BPF_LINES)),BPF_LINES))
dry_run := $(and $(findstring n,$(firstword -$(MAKEFLAGS))),$(wildcard $(settings)))
ifneq ($(if $(dry_run),,$(filter-out help clean compile_commands dist-source dist-sums format lint-format lint-layers lint-names lint-shell lint-tools lint-words site,$(or $(MAKECMDGOALS),all))),)
ifneq ($(file <$(settings)),$(settings_now))
$(shell mkdir -p $(BUILD))
$(file >$(settings),$(settings_now))
endif
ifneq ($(file <$(link_settings)),$(link_settings_now))
$(shell mkdir -p $(BUILD))
$(file >$(link_settings),$(link_settings_now))
endif
endif

# A .d file names the source. If the source is renamed later, make needs a rule for the old name.
renamed_later = && echo '$<:' >>$(@:.o=.d)
