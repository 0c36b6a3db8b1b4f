# uscope: one static program with all tools, and a link for each.  `make help` lists the targets.
#
# This file names no tool: each bpf/NAME.bpf.c becomes an object and a skeleton, each tools/NAME.cpp
# a tool in build/bin/uscope, which links libuscope.a (all of common/). Header dependencies come
# from the compilers.

ARCH     ?= $(shell uname -m)
BUILD    ?= build
CLANG    ?= clang
CLANGXX  ?= clang++
BPFTOOL  ?= bpftool
PREFIX   ?= /usr/local
DESTDIR  ?=
# Prefix and suffix of installed names: with NAME_PREFIX=u, trace becomes utrace, because BCC also
# installs a trace.
NAME_PREFIX ?=
NAME_SUFFIX ?=
# The directory of a newer libbpf (with include/ and lib64/ or lib/), to use instead of the
# system's.
LIBBPF   ?=
V        ?= 0
# 1: treat the compilers' warnings as errors.
WERROR   ?= 0
# 1: compile the sources of a folder as one, except those that are being edited (scripts/units).
# 0: compile each alone.
UNITS    ?= 1

ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin CC),default)
CC := gcc
endif
# On Debian, bpftool is in a directory that only root has in PATH.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin

q_0 := @
q := $(q_$(V))
say = $(if $(q),@printf '  %-7s %s\n' $(1) $(2))

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
# A unit includes its sources, so GCC takes them for headers and would warn of types that use local
# names.
cxxflags := -std=c++20 $(optimize) $(warnings) -Wno-subobject-linkage $(sanitize) -ffunction-sections -fdata-sections
# Distributions pass -O2 in CXXFLAGS; $(speed) replaces it, so that code that is optimized for size
# stays so.
speed    := -O2
compile   = $(CXX) $(cppflags) $(version_flag) $(CPPFLAGS) $(cxxflags) $(patsubst -O2,$(speed),$(CXXFLAGS))
ldflags  := -Wl,--gc-sections $(if $(LIBBPF),-L$(LIBBPF)/lib64 -L$(LIBBPF)/lib)
# Evaluated once, and only when something is linked, because the packages may not be installed
# before. A library comes after its users. In a static program, our own library comes again after
# the others, for functions that Debian 13's lack (common/elf/eu_search.cpp).
system_libs = $(eval system_libs := -lbpf $$(shell pkg-config --static --libs libdw libelf) -lz -liberty)$(system_libs)
ldlibs    = $(system_libs)
link      = $(CXX) $(cxxflags) $(CXXFLAGS) $(ldflags) $(LDFLAGS)

bpf_arch_x86_64 := x86
bpf_arch_aarch64 := arm64
# Functions that generated programs call have a fixed signature, and may not use all of its
# parameters.
bpf_flags := -target bpf -g -O2 -mcpu=v2 $(warnings) -Wno-unused-parameter -D__TARGET_ARCH_$(bpf_arch_$(ARCH)) \
    -I. -isystem vmlinux/$(ARCH) $(if $(LIBBPF),-isystem $(LIBBPF)/include) -fdebug-compilation-dir=.

# Live rooms need a kernel and privileges. The others are pure: they can be tested anywhere, and are
# fuzzed.
live_rooms := attach run stacks probe http runtimes servers
main       := $(wildcard common/run/main.cpp)
sources    := $(filter-out $(main),$(shell find common -name '*.cpp' | LC_ALL=C sort))
headers    := $(shell find common tests -name '*.h' | LC_ALL=C sort)
pure       := $(filter-out $(live_rooms:%=common/%/%),$(sources))
bpf_only_headers := bpf/lib/bpf.h $(wildcard bpf/*/*.bpf.h)
shared_headers   := $(filter-out $(bpf_only_headers),$(wildcard bpf/*.h bpf/*/*.h))

# Code that runs before the first event is most of the program and is optimized for size; code that
# runs for each event or symbol is optimized for speed.
cold := abi attach btf dwarf expr probe proc resolve run spec stacks
hot  := $(addprefix common/,attach/ring.cpp expr/record.cpp probe/event_printer.cpp probe/values.cpp run/session.cpp)

tool_sources := $(wildcard tools/*.cpp)
test_sources := $(shell find tests/common -name '*_test.cpp' | LC_ALL=C sort)
# A room is a folder of common/, with the folders in it.
rooms_of      = $(sort $(foreach source,$(1),common/$(word 2,$(subst /, ,$(source)))))
rooms        := $(call rooms_of,$(filter-out $(main),$(sources)))

# Groups of sources that are compiled as one: the sources in `hot`, the tools with certain initials,
# a room, a room's tests. Small rooms, and rooms whose headers take longer to compile than their
# sources, are compiled together.
together_cold := abi btf dwarf spec
together_fast := base go insn types usdt
together_live := http runtimes servers
together = common/$(firstword $(foreach name,cold fast live,$(if $(filter $(notdir $(1)),$(together_$(name))),$(name))) $(notdir $(1)))
group    = $(if $(strip $(2)),$(1) $(2) --)
groups  := $(call group,common/hot,$(hot)) \
    $(foreach initials,a-m n-z,$(call group,tools/$(initials),$(wildcard tools/[$(initials)]*.cpp))) \
    $(foreach unit,$(sort $(foreach room,$(rooms),$(call together,$(room)))),$(call group,$(unit),\
        $(foreach room,$(rooms),$(if $(filter $(unit),$(call together,$(room))),$(filter-out $(hot),$(filter $(room)/%,$(sources))))))) \
    $(foreach room,$(rooms),$(call group,tests/$(room),$(filter tests/$(room)/%,$(test_sources))))
ifneq ($(filter-out 0,$(UNITS)),$(filter help clean format,$(or $(MAKECMDGOALS),all)))
units := $(shell scripts/units '$(BUILD)' $(groups))
else
units := $(hot) $(tool_sources) $(filter-out $(hot),$(sources)) $(test_sources)
endif
object        = $(patsubst %,$(BUILD)/obj/%.o,$(basename $(1)))
library_units := $(filter common/%,$(units))
tool_units    := $(filter tools/%,$(units))
test_units    := $(filter tests/%,$(units))

tools      := $(patsubst tools/%.cpp,$(BUILD)/bin/%,$(tool_sources))
single     := $(patsubst tools/%.cpp,$(BUILD)/single/%,$(tool_sources))
bpf        := $(wildcard bpf/*.bpf.c bpf/shared/*.bpf.c)
skeletons  := $(patsubst %.bpf.c,$(BUILD)/skel/%.skel.h,$(notdir $(bpf)))
library    := $(BUILD)/libuscope.a
support    := $(wildcard tests/support/*.cpp)
unit_tests := $(BUILD)/tests/unit
targets    := $(patsubst tests/targets/%,$(BUILD)/targets/%,$(basename \
    $(foreach kind,c cpp,$(wildcard tests/targets/*.$(kind) tests/targets/*/*.$(kind)))))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.cpp))
benches    := $(patsubst bench/%.cpp,$(BUILD)/bench/%,$(wildcard bench/*_bench.cpp))
bench_helpers := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
bench_skeletons := $(patsubst bench/%.bpf.c,$(BUILD)/skel/%.skel.h,$(wildcard bench/*.bpf.c))

# Targets that first install packages run another make after that, on all processors unless the
# first make has its own number of jobs.
again = +$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: all
all: $(tools)  ## build build/bin/uscope, and a link for each of its tools (the default)

# If the settings change (another compiler, SANITIZE, a new version), everything is compiled again.
# WERROR does not count, because it does not change the output. A dry run (make -n) does not change
# existing settings.
settings := $(BUILD)/settings
settings_now := $(filter-out -Werror,$(CXX) $(CPPFLAGS) $(cppflags) $(cxxflags) $(CXXFLAGS) $(LDFLAGS) $(VERSION) \
    $(CLANG) $(bpf_flags))
dry_run := $(and $(findstring n,$(firstword -$(MAKEFLAGS))),$(wildcard $(settings)))
ifneq ($(if $(dry_run),,$(filter-out help clean compile_commands format lint-format lint-layers lint-names lint-shell lint-words,$(or $(MAKECMDGOALS),all))),)
ifneq ($(file <$(settings)),$(settings_now))
$(shell mkdir -p $(BUILD))
$(file >$(settings),$(settings_now))
endif
endif

# A .d file names the source. If the source is renamed later, make needs a rule for the old name.
renamed_later = && echo '$<:' >>$(@:.o=.d)

# --- kernel side ---------------------------------------------------------------------------------
vpath %.bpf.c bpf bpf/shared bench
$(BUILD)/bpf/%.o: %.bpf.c $(settings)
	$(call say,BPF,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CLANG) $(bpf_flags) -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $(@:.o=.raw.o) $(renamed_later)
	$(q)$(BPFTOOL) gen object $@ $(@:.o=.raw.o)

$(BUILD)/skel/%.skel.h: $(BUILD)/bpf/%.o
	$(q)mkdir -p $(@D)
	$(q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf >$@.tmp && mv $@.tmp $@

# --- user side -----------------------------------------------------------------------------------
define compile_object
	$(call say,CXX,$(<:$(BUILD)/units/%=%))
	$(q)mkdir -p $(@D)
	$(q)$(compile) -MMD -MP -c $< -o $@ $(renamed_later)
endef
$(BUILD)/obj/%.o: $(BUILD)/units/%.cpp $(settings) | $(skeletons)
	$(compile_object)
$(BUILD)/obj/%.o: %.cpp $(settings) | $(skeletons)
	$(compile_object)

small := $(call object,$(tool_sources) $(filter tools/% common/cold $(foreach room,$(cold),common/$(room) common/$(room)/%),$(filter-out $(hot),$(units))))
$(small): private cxxflags += $(if $(sanitize),,-Os)
$(small): private speed := -Os

# Test programs link the same library as the tools; their own code need not be fast. (Distributions'
# _FORTIFY_SOURCE requires optimization.)
$(BUILD)/obj/tests/%.o: private cxxflags += -O0 -U_FORTIFY_SOURCE
$(BUILD)/obj/tests/%.o: private speed := -O0

$(library): $(call object,$(library_units)) $(if $(filter-out 0,$(UNITS)),$(BUILD)/units/apart)
	$(q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# Generates the table of run/tools.h for the tools of a program.
tool_table = { echo '\#include "run/tools.h"'; \
    $(foreach tool,$(1),echo 'namespace uscope::tools::$(subst -,_,$(tool)) { Result<> tool_main(run::Tool &tool); }';) \
    echo 'namespace uscope::run { static const ToolEntry entries[] = {'; \
    $(foreach tool,$(1),echo '    {"$(tool)", tools::$(subst -,_,$(tool))::tool_main},';) \
    echo '}; const std::span<const ToolEntry> tool_entries = entries; }'; }
$(BUILD)/tables/uscope.cpp: $(tool_sources) $(settings)
	$(q)mkdir -p $(@D)
	$(q)$(call tool_table,$(notdir $(tools))) >$@
$(BUILD)/tables/%.cpp: tools/%.cpp $(settings)
	$(q)mkdir -p $(@D)
	$(q)$(call tool_table,$*) >$@
$(BUILD)/tables/%.o: $(BUILD)/tables/%.cpp
	$(q)$(compile) -MMD -MP -c $< -o $@

# main() is not in the library: a test program that linked it would run a tool instead of its tests.
define link_tools
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $(if $(sanitize),,-static -s) $(filter %.o %.a,$^) $(ldlibs) $(if $(sanitize),,$(library)) -o $@
endef
$(BUILD)/bin/uscope: $(BUILD)/tables/uscope.o $(call object,$(tool_units) $(main)) $(library)
	$(link_tools)
$(tools): $(BUILD)/bin/uscope
	$(q)ln -sf uscope $@
# Links the tool's own object, not its unit, whose initializers would pull in the unit's other
# tools.
$(BUILD)/single/%: $(BUILD)/tables/%.o $(BUILD)/obj/tools/%.o $(call object,$(main)) $(library)
	$(link_tools)
.PHONY: single
single: $(single)  ## build each tool as a separate program, in build/single

# --- tests ---------------------------------------------------------------------------------------
$(unit_tests): $(call object,$(test_units) $(support)) $(library)
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $^ -lgtest_main -lgtest -lZydis $(ldlibs) -lpthread -o $@
$(BUILD)/obj/tests/%.o: cppflags += -Itests

# A small traced program may have a line "build: FLAGS" in its source, with additional flags.
target_renamed_later = && echo '$<:' >>$@.d
target_flags = $(shell sed -n 's,^// build: ,,p;s,^ \* build: ,,p' $<)
$(BUILD)/targets/%: tests/targets/%.c
	$(call say,TARGET,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(CPPFLAGS) -O2 -g -MMD -MP -MF $@.d $< -o $@ $(target_flags) $(target_renamed_later)
$(BUILD)/targets/%: tests/targets/%.cpp
	$(call say,TARGET,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CXX) $(CPPFLAGS) -std=c++20 -O2 -g -MMD -MP -MF $@.d $< -o $@ $(target_flags) $(target_renamed_later)

# Fuzzers compile the pure rooms that they need again, with clang and the sanitizers. Their seeds
# are in tests/fuzz/corpus/NAME.
fuzz_flags := -std=c++20 -O1 -g1 $(warnings) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
fuzz_sanitize := address,undefined
define compile_fuzzed
	$(call say,FUZZ,$(<:$(BUILD)/units/%=%))
	$(q)mkdir -p $(@D)
	$(q)$(CLANGXX) $(cppflags) $(fuzz_flags) -fsanitize=fuzzer-no-link,$(fuzz_sanitize) -MMD -MP -c $< -o $@ $(renamed_later)
endef
$(BUILD)/fuzz/obj/%.o: $(BUILD)/units/%.cpp $(settings)
	$(compile_fuzzed)
$(BUILD)/fuzz/obj/%.o: %.cpp $(settings)
	$(compile_fuzzed)

# The rooms that the fuzzers need, as a whole, and what these rooms need; all of them are pure.
fuzz_sources := $(wildcard tests/fuzz/*.cpp)
fuzz_needs   := $(shell scripts/includes --for $(fuzz_sources))
fuzz_needs   := $(shell scripts/includes --for $(fuzz_sources) $(filter $(addsuffix /%,$(call rooms_of,$(fuzz_needs))),$(sources)))
fuzz_rooms   := $(call rooms_of,$(fuzz_needs))
fuzz_units   := $(filter $(sort $(foreach room,$(fuzz_rooms),$(call together,$(room)))) $(fuzz_rooms:%=%/%),\
    $(filter-out $(hot),$(library_units))) $(filter $(hot),$(fuzz_needs))
fuzz_library := $(BUILD)/fuzz/libuscope.a
$(fuzz_library): $(patsubst %,$(BUILD)/fuzz/obj/%.o,$(basename $(fuzz_units)))
	$(q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/tests/fuzz/%.o $(fuzz_library)
	$(call say,LINK,$@)
	$(q)$(CLANGXX) $(fuzz_flags) -fsanitize=fuzzer,$(fuzz_sanitize) $^ $(ldlibs) -o $@

.PHONY: test test-all test-rest test-kernels test-sid harm stacks soak steady build-first build-tests unit-tests fuzz sanitize
build-first: $(tools) unit-tests
build-tests: build-first $(fuzzers) build-bench
unit-tests: $(unit_tests) $(targets)
test:  ## install missing packages, build, run the first ring of tests: each capability of each tool (10 minutes)
	@scripts/setup build first
	$(again) build-first
	@BUILD='$(BUILD)' tests/run --first $(if $(TOTALS),--totals '$(TOTALS)')
test-all:  ## run all tests: every version, Debian 13, old kernels, fuzzers (see also tests/run)
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run
test-rest:  ## run the tests that `make test` leaves out
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run --rest $(if $(TOTALS),--totals '$(TOTALS)')
test-kernels:  ## test the tools on Debian's kernels 5.10 to the newest, also for arm64, in virtual machines (a part of test-all)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run kernels/
test-sid:  ## build on Debian sid, in a chroot, and try the result (not a part of test-all)
	@scripts/setup build test
	$(again) $(tools)
	@BUILD='$(BUILD)' tests/run build/debian-sid-builds
harm:  ## test whether probes change what programs compute: every language, 20 real programs (an hour; not a part of test-all)
	@scripts/setup build test harm
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run harm/
stacks:  ## compare stacks with another unwinder's: 100,000 of 14 real programs under load (15 minutes; not a part of test-all)
	@scripts/setup build test stacks
	$(again) $(tools)
	@BUILD='$(BUILD)' tests/run stacks/
soak:  ## test tools that run for long under load: correct, bounded, harmless? SOAK_SECONDS=1200 (not a part of test-all)
	@scripts/setup build test stacks
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run soak/
steady:  ## repeat the first ring on a busy machine, to find unsteady tests (hours; not a part of test-all)
	@scripts/setup build first
	$(again) build-first
	@BUILD='$(BUILD)' tests/steady --first
FUZZ_SECONDS ?= 60
fuzz: $(fuzzers)  ## run each fuzzer for FUZZ_SECONDS (60)
	@BUILD='$(BUILD)' FUZZ_SECONDS=$(FUZZ_SECONDS) tests/run fuzz/
sanitize:  ## run unit and tool tests under ASan and UBSan (SANITIZE=)
	$(again) SANITIZE=$(or $(SANITIZE),address,undefined) BUILD=$(BUILD)/sanitize sanitize-tests
.PHONY: sanitize-tests
sanitize-tests: $(tools) unit-tests
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 BUILD='$(BUILD)' tests/run unit/ tools/

.PHONY: demo build-demo
build-demo: $(tools) $(BUILD)/targets/demo
demo:  ## install missing packages, build, and show the tools on a small live program
	@scripts/setup build
	$(again) build-demo
	@BUILD='$(BUILD)' scripts/demo

# --- benchmarks ----------------------------------------------------------------------------------
$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(call object,$(support)) $(library)
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $^ -lbenchmark_main -lbenchmark $(ldlibs) -lpthread -o $@

# The traced programs, the minimal program to compare with, and the stopwatch.
$(BUILD)/bench/%: bench/%.c $(library) $(settings) | $(bench_skeletons)
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(cppflags) -O2 -g1 $(warnings) -MMD -MP -MF $@.d $< -o $@ -static $(ldlibs)

.PHONY: bench build-bench
build-bench: $(benches) $(bench_helpers) $(tools)
bench: build-bench  ## measure the library, and the tools as a whole against a C program on libbpf
	$(q)set -e; for bench in $(benches); do $$bench; done
	$(q)BUILD='$(BUILD)' bench/run

# --- checks --------------------------------------------------------------------------------------
.PHONY: lint format lint-format lint-headers lint-layers lint-names lint-shell lint-tidy lint-words
lint: lint-format lint-headers lint-layers lint-names lint-shell lint-words lint-tidy  ## check the format and the code of all sources

# The format differs between versions of clang-format; Debian 12's is authoritative.
CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-14 clang-format))
CLANG_TIDY   ?= $(firstword $(shell command -v clang-tidy-14 clang-tidy))
formatted := $(shell find bpf common tools tests bench -name '*.h' -o -name '*.cpp' -o -name '*.c' | LC_ALL=C sort)
lint-format:
	$(q)$(CLANG_FORMAT) --dry-run -Werror $(formatted)
format:  ## format all C and C++ files
	$(q)$(CLANG_FORMAT) -i $(formatted)

# Checks that each header compiles alone; on the kernel side, after bpf/lib/bpf.h, with which every
# program begins. A header that both sides include has to compile in both languages.
lint-headers: $(patsubst %,$(BUILD)/lint/%.c++,$(headers) $(shared_headers)) \
    $(shared_headers:%=$(BUILD)/lint/%.bpf) $(bpf_only_headers:%=$(BUILD)/lint/%.bpf)
$(BUILD)/lint/%.c++: % $(settings) | $(skeletons)
	$(q)mkdir -p $(@D)
	$(q)echo '#include "$<"' | $(compile) -Itests -MMD -MP -MT $@ -MF $@.d -x c++ -fsyntax-only -
	$(q)touch $@
$(BUILD)/lint/%.bpf: % $(settings)
	$(q)mkdir -p $(@D)
	$(q)echo '#include "$<"' | $(CLANG) $(bpf_flags) -include bpf/lib/bpf.h -Wno-unused -MD -MP -MT $@ -MF $@.d -x c -fsyntax-only -
	$(q)touch $@

# Pure rooms include neither libbpf nor live rooms; a live room includes only live rooms that come
# before it in live_rooms. No room includes a header of one tool. On the
# kernel side, bpf/lib includes no other room.
above = $(if $(filter $(1),$(firstword $(2))),$(wordlist 2,$(words $(2)),$(2)),$(call above,$(1),$(wordlist 2,$(words $(2)),$(2))))
lint-layers:
	$(q)! grep -nE '^#include (<bpf/|"($(subst $() ,|,$(live_rooms)))/)' $(pure) \
	    $(filter-out $(live_rooms:%=common/%/%),$(filter common/%,$(headers)))
	$(q)$(foreach room,$(filter-out $(lastword $(live_rooms)),$(live_rooms)),! grep -rnE \
	    '^#include "($(subst $() ,|,$(strip $(call above,$(room),$(live_rooms)))))/' common/$(room) &&) :
	$(q)! grep -nE '^#include "bpf/[a-km-z]' bpf/lib/*
	$(q)! grep -nE '^#include "(bpf/)?[^/]*"' $(sources) $(filter common/%,$(headers)) | grep -vE '"(events|execute|kernel_name).skel.h"'

# The sources of a folder are compiled as one, so local names must be unique in a folder.
lint-names:
	$(q)scripts/local-names $(sources) $(test_sources)

# Sentences that have to be read twice, by their patterns, and comments of more than 100 columns.
lint-words:
	$(q)scripts/lint-words

# Checks every file whose first line names a shell. Most of them read tests/lib.sh, which takes far
# longer to check than they do: it is checked once, and replaced by a file that sets the same
# variables when the others are checked. A file that has passed is checked again when it or a helper
# (*.bash, tests/lib.sh) has changed.
lint-shell:
	$(q)mkdir -p $(BUILD)/lint/shell/tools/NAME
	$(q){ echo '# shellcheck shell=bash'; echo 'set -euo pipefail'; \
	    grep -ohE '\b[A-Za-z_]\w*=' tests/lib.sh tests/programs.bash tests/debian/*.bash | sort -u | sed 's/\(.*\)=/\1=$$\1/'; \
	    } >$(BUILD)/lint/shell/lib.sh
	$(q)stamp=$(BUILD)/lint/shell/checked && touch $$stamp.now && \
	    if [ -z "$$(find tests bench -name '*.bash' -newer $$stamp 2>&1)" ] && [ ! tests/lib.sh -nt $$stamp ]; \
	    then changed="-newer $$stamp"; else changed=; fi && \
	    { find tests/lib.sh -print0; grep -rlZE '^#!/bin/(ba)?sh' .ci bench completions packaging scripts tests; } | \
	    find -files0-from - $$changed -print0 | \
	    xargs -0 -r -n 8 -P "$$(nproc)" shellcheck -x -P $(BUILD)/lint/shell/tools:$(BUILD)/lint/shell/tools/NAME:SCRIPTDIR -S warning && mv $$stamp.now $$stamp

lint-tidy: $(patsubst %,$(BUILD)/lint/%.tidy,$(sources) $(main) $(wildcard tools/*.cpp))
$(BUILD)/lint/%.tidy: % .clang-tidy $(settings) | $(skeletons)
	$(call say,TIDY,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CLANG_TIDY) --quiet $< -- $(cppflags) $(version_flag) -std=c++20 2>$@.log || { cat $@.log; false; }
	$(q)touch $@

# arm64: its objects need only the cross compiler, because Debian's headers are the same for both
# architectures (the host's are searched last). Linking needs arm64 libraries, which
# tests/kernels/run puts into $(BUILD)/arm64/lib.
cross := aarch64-linux-gnu
cross_headers := -idirafter /usr/include -idirafter /usr/include/$(shell uname -m)-linux-gnu
cross_with = $(filter %ccache,$(firstword $(CXX))) $(cross)
for_arm64 = ARCH=aarch64 LIBBPF= BUILD=$(BUILD)/arm64 CXX='$(strip $(cross_with)-g++)' CC='$(strip $(cross_with)-gcc)' \
    CPPFLAGS='$(cross_headers)' CXXFLAGS='-O0 -g0' LDFLAGS=-L$(BUILD)/arm64/lib
.PHONY: check-arm64 objects arm64 tools-and-targets
check-arm64:  ## compile kernel and user side for arm64, if g++-aarch64-linux-gnu is installed
	@command -v $(cross)-g++ >/dev/null || { echo 'skipped: $(cross)-g++ is not installed'; exit 77; }
	$(again) $(for_arm64) objects
arm64:  ## build the tools for arm64, or list what that needs
	@command -v $(cross)-g++ >/dev/null || { echo 'make arm64 needs g++-aarch64-linux-gnu: install it' >&2; exit 1; }
	@[ -e $(BUILD)/arm64/lib/libbpf.a ] || { echo "make arm64 needs arm64's static libraries in $(BUILD)/arm64/lib:" \
	    "tests/kernels/run arm64 downloads them" >&2; exit 1; }
	$(again) $(for_arm64) tools-and-targets
objects: $(call object,$(library_units) $(tool_units) $(main))
tools-and-targets: $(tools) $(targets)

# Checks what an edit most likely breaks, in under a minute if only the edit has to be built.
# tests/run also has the tools' tests against real programs, the fuzzers, the tests of the build and
# the kernels.
.PHONY: check
check: $(tools) unit-tests lint-format lint-headers lint-layers lint-names lint-shell lint-words  ## format, headers, layers, scripts, unit tests: under a minute after an edit
	@BUILD='$(BUILD)' tests/run unit/ build/manuals

# For clangd and similar tools: the commands of a dry run (make -nB). No compiler runs.
.PHONY: compile_commands compile_commands.json
compile_commands: compile_commands.json  ## write how each source is compiled, for clangd and other language servers
compile_commands.json:
	$(q)mkdir -p $(BUILD)
	$(q)$(MAKE) --no-print-directory -nB V=1 UNITS=0 build-tests build-bench >$(BUILD)/commands
	$(q)scripts/compile-commands <$(BUILD)/commands >$@.tmp && mv $@.tmp $@

# --- installation --------------------------------------------------------------------------------
installed = $(NAME_PREFIX)$(1)$(NAME_SUFFIX)
share := $(DESTDIR)$(PREFIX)/share
.PHONY: install
install: $(BUILD)/bin/uscope  ## install into PREFIX=/usr/local (DESTDIR= NAME_PREFIX= NAME_SUFFIX=)
	install -d $(DESTDIR)$(PREFIX)/bin $(share)/man/man1 $(share)/bash-completion/completions $(share)/doc/uscope
	install -m 755 $(BUILD)/bin/uscope $(DESTDIR)$(PREFIX)/bin/uscope
	$(call install_pages,uscope,uscope)
	$(foreach tool,$(notdir $(tools)),$(call install_tool,$(tool),$(call installed,$(tool))))
	while read -r alias tool options; do \
	    [ ! -e "tools/$$tool.cpp" ] || scripts/install-alias '$(DESTDIR)$(PREFIX)' \
	        "$(call installed,$$alias)" "$(call installed,$$tool)" "$$options" || exit 1; \
	done <tools/aliases
	install -m 644 README.md LICENSE docs/http.md docs/json.md docs/safety.md $(share)/doc/uscope

define install_tool
ln -sf uscope $(DESTDIR)$(PREFIX)/bin/$(2)
$(call install_pages,$(1),$(2))

endef

define install_pages
sed 's/@TOOL@/$(2)/g' completions/bash/tool.in >$(share)/bash-completion/completions/$(2)
$(if $(wildcard man/$(1).1),scripts/install-man man/$(1).1 $(share)/man/man1/$(2).1 '$(NAME_PREFIX)' '$(NAME_SUFFIX)' $(notdir $(tools)))
endef

.PHONY: clean help
clean:  ## remove the build folder
	rm -rf $(BUILD)
help:  ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS="$$(printf '\t')" read -r target text; do printf '  %-17s %s\n' "make $$target" "$$text"; done
	@echo '  V=1 shows the commands; CXX=clang++ works too; BUILD=, LIBBPF=, SANITIZE= are explained in README.md'

ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),all)),)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
endif

.SECONDARY:
.DELETE_ON_ERROR:
