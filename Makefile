# uscope: one static program with all tools, and a link for each.  `make help` lists the targets.
#
# Nothing here names a tool: bpf/NAME.bpf.c becomes an object and a skeleton, tools/NAME.cpp a tool in build/bin/uscope,
# which links libuscope.a (all of common/).  Header dependencies come from the compilers.

ARCH     ?= $(shell uname -m)
BUILD    ?= build
CLANG    ?= clang
CLANGXX  ?= clang++
BPFTOOL  ?= bpftool
PREFIX   ?= /usr/local
DESTDIR  ?=
# What installed names start or end with: NAME_PREFIX=u makes utrace of trace, which BCC also installs.
NAME_PREFIX ?=
NAME_SUFFIX ?=
# Where a newer libbpf was installed (its include/ and lib64/ or lib/), instead of the system's.
LIBBPF   ?=
V        ?= 0
# 1: the compilers' warnings are errors.
WERROR   ?= 0
# 1: the sources of a folder are compiled as one, but for those that are being edited (scripts/units). 0: each by itself.
UNITS    ?= 1

ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin CC),default)
CC := gcc
endif
# Debian keeps bpftool where only root's PATH looks.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin

q_0 := @
q := $(q_$(V))
say = $(if $(q),@printf '  %-7s %s\n' $(1) $(2))

VERSION := $(shell cat VERSION 2>/dev/null)
# Errors only where we test ourselves (.ci/run, tests/build): a newer compiler's new warning must not stop anybody else.
warnings := -Wall -Wextra $(if $(filter-out 0,$(WERROR)),-Werror)
optimize := -O2
sanitize :=
ifdef SANITIZE
# GCC sees uninitialized variables that are none in instrumented code, as its manual says.
sanitize := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -Wno-maybe-uninitialized
optimize := -O1 -g1
endif
cppflags := -I. -Icommon -Ibpf -I$(BUILD)/skel $(if $(LIBBPF),-isystem $(LIBBPF)/include)
version_flag := -DUSCOPE_VERSION='"$(VERSION)"'
# A source within a unit is no header, whose types should not use what is local.
cxxflags := -std=c++20 $(optimize) $(warnings) -Wno-subobject-linkage $(sanitize) -ffunction-sections -fdata-sections
# What is to be small stays so when CXXFLAGS say -O2, as distributions' do.
speed    := -O2
compile   = $(CXX) $(cppflags) $(version_flag) $(CPPFLAGS) $(cxxflags) $(patsubst -O2,$(speed),$(CXXFLAGS))
ldflags  := -Wl,--gc-sections $(if $(LIBBPF),-L$(LIBBPF)/lib64 -L$(LIBBPF)/lib)
# Once a build, and not before something is linked: the packages may not be there yet. What uses a library stands
# before it; in a static program our own comes once more behind them for what Debian 13's lack (common/elf/eu_search.cpp).
system_libs = $(eval system_libs := -lbpf $$(shell pkg-config --static --libs libdw libelf) -lz -liberty)$(system_libs)
ldlibs    = $(system_libs)
link      = $(CXX) $(cxxflags) $(CXXFLAGS) $(ldflags) $(LDFLAGS)

bpf_arch_x86_64 := x86
bpf_arch_aarch64 := arm64
# What generated programs call has their signature, used or not.
bpf_flags := -target bpf -g -O2 -mcpu=v2 $(warnings) -Wno-unused-parameter -D__TARGET_ARCH_$(bpf_arch_$(ARCH)) \
    -Ibpf -isystem vmlinux/$(ARCH) $(if $(LIBBPF),-isystem $(LIBBPF)/include) -fdebug-compilation-dir=.

# The live rooms need a kernel and privileges. The others are pure: they can be tested anywhere, and are fuzzed.
live_rooms := attach run probe http runtimes servers
main       := $(wildcard common/run/main.cpp)
sources    := $(filter-out $(main),$(shell find common -name '*.cpp' | LC_ALL=C sort))
headers    := $(shell find common tests -name '*.h' | LC_ALL=C sort)
pure       := $(filter-out $(live_rooms:%=common/%/%),$(sources))
bpf_only_headers := bpf/lib/bpf.h $(wildcard bpf/lib/*.bpf.h)
shared_headers   := $(filter-out $(bpf_only_headers),$(wildcard bpf/*.h bpf/lib/*.h))

# What is attached and loaded before the first event is made small: it is most of the program. What runs for each event
# or symbol is made fast.
cold := abi attach btf dwarf expr probe proc resolve run spec
hot  := $(addprefix common/,attach/ring.cpp expr/record.cpp probe/event_printer.cpp probe/values.cpp run/session.cpp)

tool_sources := $(wildcard tools/*.cpp)
test_sources := $(shell find tests/common -name '*_test.cpp' | LC_ALL=C sort)
rooms        := $(sort $(patsubst %/,%,$(dir $(filter-out $(main),$(sources)))))

# The groups of sources that are compiled as one: those of all rooms that are made fast, the tools of some initials, a
# room, a room's tests. Small rooms, and those whose headers take longer than they, are compiled together.
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
bpf        := $(wildcard bpf/*.bpf.c)
skeletons  := $(patsubst bpf/%.bpf.c,$(BUILD)/skel/%.skel.h,$(bpf))
library    := $(BUILD)/libuscope.a
support    := $(wildcard tests/support/*.cpp)
unit_tests := $(BUILD)/tests/unit
targets    := $(patsubst tests/targets/%,$(BUILD)/targets/%,$(basename \
    $(foreach kind,c cpp,$(wildcard tests/targets/*.$(kind) tests/targets/*/*.$(kind)))))
fuzzers    := $(patsubst tests/fuzz/%.cpp,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.cpp))
benches    := $(patsubst bench/%.cpp,$(BUILD)/bench/%,$(wildcard bench/*_bench.cpp))
bench_helpers := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
bench_skeletons := $(patsubst bench/%.bpf.c,$(BUILD)/skel/%.skel.h,$(wildcard bench/*.bpf.c))

# What a target that first installs packages runs, when they are there: another make, on all processors
# unless the first one was told how many.
again = +$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: all
all: $(tools)  ## build build/bin/uscope, and a link for each of its tools (the default)

# When what is compiled with changes (another compiler, SANITIZE, a new version), everything is compiled again.
# WERROR changes nothing of what has compiled. A dry run (make -n) changes no settings that are there.
settings := $(BUILD)/settings
settings_now := $(filter-out -Werror,$(CXX) $(CPPFLAGS) $(cppflags) $(cxxflags) $(CXXFLAGS) $(LDFLAGS) $(VERSION) \
    $(CLANG) $(bpf_flags))
dry_run := $(and $(findstring n,$(firstword -$(MAKEFLAGS))),$(wildcard $(settings)))
ifneq ($(if $(dry_run),,$(filter-out help clean compile_commands format lint-format lint-layers lint-names lint-shell,$(or $(MAKECMDGOALS),all))),)
ifneq ($(file <$(settings)),$(settings_now))
$(shell mkdir -p $(BUILD))
$(file >$(settings),$(settings_now))
endif
endif

# --- kernel side ---------------------------------------------------------------------------------
vpath %.bpf.c bpf bench
$(BUILD)/bpf/%.o: %.bpf.c $(settings)
	$(call say,BPF,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CLANG) $(bpf_flags) -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $(@:.o=.raw.o)
	$(q)$(BPFTOOL) gen object $@ $(@:.o=.raw.o)

$(BUILD)/skel/%.skel.h: $(BUILD)/bpf/%.o
	$(q)mkdir -p $(@D)
	$(q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf >$@.tmp && mv $@.tmp $@

# --- user side -----------------------------------------------------------------------------------
# A .d names what it was compiled from. Should that be renamed, make needs a rule for the old name.
renamed_later = && echo '$<:' >>$(@:.o=.d)

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

# Test programs call the library, which is what it is in the tools; they themselves need not be fast. (Distributions'
# _FORTIFY_SOURCE wants optimized code.)
$(BUILD)/obj/tests/%.o: private cxxflags += -O0 -U_FORTIFY_SOURCE
$(BUILD)/obj/tests/%.o: private speed := -O0

$(library): $(call object,$(library_units)) $(if $(filter-out 0,$(UNITS)),$(BUILD)/units/apart)
	$(q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# The table of run/tools.h for the tools of a program.
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

# main() stays out of the library: a test program that linked it would run a tool instead of its tests.
define link_tools
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $(if $(sanitize),,-static -s) $(filter %.o %.a,$^) $(ldlibs) $(if $(sanitize),,$(library)) -o $@
endef
$(BUILD)/bin/uscope: $(BUILD)/tables/uscope.o $(call object,$(tool_units) $(main)) $(library)
	$(link_tools)
$(tools): $(BUILD)/bin/uscope
	$(q)ln -sf uscope $@
# The tool's own source by itself: a unit's initializations would bring its other tools along.
$(BUILD)/single/%: $(BUILD)/tables/%.o $(BUILD)/obj/tools/%.o $(call object,$(main)) $(library)
	$(link_tools)
.PHONY: single
single: $(single)  ## build each tool as a program of its own, for who copies one, into build/single

# --- tests ---------------------------------------------------------------------------------------
$(unit_tests): $(call object,$(test_units) $(support)) $(library)
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $^ -lgtest_main -lgtest -lZydis $(ldlibs) -lpthread -o $@
$(BUILD)/obj/tests/%.o: cppflags += -Itests

# A small traced program may say in its source how it is built: a line "build: FLAGS".
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

# Fuzzers: what they need of the pure rooms once more, by clang, watched by the sanitizers. The seeds lie in tests/fuzz/corpus/NAME.
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

# Whole rooms of what the fuzzers need, all of them pure.
fuzz_needs   := $(shell scripts/includes --for $(wildcard tests/fuzz/*.cpp))
fuzz_rooms   := $(patsubst %/,%,$(sort $(dir $(fuzz_needs))))
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
test:  ## install what is missing, build, run the first ring of tests: each capability of each tool (10 minutes)
	@scripts/setup build first
	$(again) build-first
	@BUILD='$(BUILD)' tests/run --first $(if $(TOTALS),--totals '$(TOTALS)')
test-all:  ## all tests: every version, Debian 13, old kernels, fuzzers (see also tests/run)
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run
test-rest:  ## what `make test` leaves out
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run --rest $(if $(TOTALS),--totals '$(TOTALS)')
test-kernels:  ## the tools on Debian's kernels 5.10 to the newest, also for arm64, in virtual machines (a part of test-all)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run kernels/
test-sid:  ## build on Debian sid, in a root of its own, and try what was built (not a part of test-all)
	@scripts/setup build test
	$(again) $(tools)
	@BUILD='$(BUILD)' tests/run build/debian-sid-builds
harm:  ## do probes change what programs compute? every language, 20 real programs (an hour; not a part of test-all)
	@scripts/setup build test harm
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run harm/
stacks:  ## are stacks what another unwinder finds? 100,000 of 14 real programs under load (15 minutes; not a part of test-all)
	@scripts/setup build test stacks
	$(again) $(tools)
	@BUILD='$(BUILD)' tests/run stacks/
soak:  ## are tools right, bounded and harmless that run for long beside load? SOAK_SECONDS=1200 (not a part of test-all)
	@scripts/setup build test stacks
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run soak/
steady:  ## repeat the first ring beside a busy machine: which tests fail by chance? (hours; not a part of test-all)
	@scripts/setup build first
	$(again) build-first
	@BUILD='$(BUILD)' tests/steady --first
FUZZ_SECONDS ?= 60
fuzz: $(fuzzers)  ## run each fuzzer for FUZZ_SECONDS (60)
	@BUILD='$(BUILD)' FUZZ_SECONDS=$(FUZZ_SECONDS) tests/run fuzz/
sanitize:  ## the unit and tool tests, watched by ASan and UBSan (SANITIZE=)
	$(again) SANITIZE=$(or $(SANITIZE),address,undefined) BUILD=$(BUILD)/sanitize sanitize-tests
.PHONY: sanitize-tests
sanitize-tests: $(tools) unit-tests
	@UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 BUILD='$(BUILD)' tests/run unit/ tools/

.PHONY: demo build-demo
build-demo: $(tools) $(BUILD)/targets/demo
demo:  ## install what is missing, build, and show the tools on a small live program
	@scripts/setup build
	$(again) build-demo
	@BUILD='$(BUILD)' scripts/demo

# --- benchmarks ----------------------------------------------------------------------------------
$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(call object,$(support)) $(library)
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $^ -lbenchmark_main -lbenchmark $(ldlibs) -lpthread -o $@

# What is traced, the floor to compare with, the stop-watch.
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
.PHONY: lint format lint-format lint-headers lint-layers lint-names lint-shell lint-tidy
lint: lint-format lint-headers lint-layers lint-names lint-shell lint-tidy  ## check the format and the code of everything

# Formats differ from version to version of clang-format: Debian 12's decides.
CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-14 clang-format))
CLANG_TIDY   ?= $(firstword $(shell command -v clang-tidy-14 clang-tidy))
formatted := $(shell find bpf common tools tests bench -name '*.h' -o -name '*.cpp' -o -name '*.c' | LC_ALL=C sort)
lint-format:
	$(q)$(CLANG_FORMAT) --dry-run -Werror $(formatted)
format:  ## lay out all C and C++ files
	$(q)$(CLANG_FORMAT) -i $(formatted)

# Each header compiles with nothing before it, on the kernel side with nothing but lib/bpf.h, which every program
# begins with; one that both halves read does in both languages.
lint-headers: $(patsubst %,$(BUILD)/lint/%.c++,$(headers) $(shared_headers)) \
    $(shared_headers:%=$(BUILD)/lint/%.bpf) $(bpf_only_headers:%=$(BUILD)/lint/%.bpf)
$(BUILD)/lint/%.c++: % $(settings) | $(skeletons)
	$(q)mkdir -p $(@D)
	$(q)echo '#include "$<"' | $(compile) -I. -Itests -MMD -MP -MT $@ -MF $@.d -x c++ -fsyntax-only -
	$(q)touch $@
$(BUILD)/lint/%.bpf: % $(settings)
	$(q)mkdir -p $(@D)
	$(q)echo '#include "$<"' | $(CLANG) $(bpf_flags) -I. -include lib/bpf.h -Wno-unused -MD -MP -MT $@ -MF $@.d -x c -fsyntax-only -
	$(q)touch $@

# Pure rooms include nothing of the kernel's loading and nothing live; live rooms include those that come before them in
# live_rooms. No room includes a header of one tool.
above = $(if $(filter $(1),$(firstword $(2))),$(wordlist 2,$(words $(2)),$(2)),$(call above,$(1),$(wordlist 2,$(words $(2)),$(2))))
lint-layers:
	$(q)! grep -nE '^#include (<bpf/|"($(subst $() ,|,$(live_rooms)))/)' $(pure) \
	    $(filter-out $(live_rooms:%=common/%/%),$(filter common/%,$(headers)))
	$(q)$(foreach room,$(filter-out $(lastword $(live_rooms)),$(live_rooms)),! grep -nE \
	    '^#include "($(subst $() ,|,$(strip $(call above,$(room),$(live_rooms)))))/' $(wildcard common/$(room)/*) &&) :
	$(q)! grep -nE '^#include "[^/]*"' $(sources) $(filter common/%,$(headers)) | grep -vE '"(events|execute|kernel_name).skel.h"'

# Sources of a folder are compiled as one: what is local to one of them has a name of its own there.
lint-names:
	$(q)scripts/local-names $(sources) $(test_sources)

# What the shell runs: every file whose first line says so. Most of them read tests/lib.sh, which takes far longer to
# check than they do: it is checked once, and for the others a file stands in that sets the same variables. What has
# passed is checked again when it or a helper (*.bash, tests/lib.sh) has changed.
lint-shell:
	$(q)mkdir -p $(BUILD)/lint/shell/tools
	$(q){ echo '# shellcheck shell=bash'; echo 'set -euo pipefail'; \
	    grep -ohE '\b[A-Za-z_]\w*=' tests/lib.sh tests/programs.bash tests/debian/*.bash | sort -u | sed 's/\(.*\)=/\1=$$\1/'; \
	    } >$(BUILD)/lint/shell/lib.sh
	$(q)stamp=$(BUILD)/lint/shell/checked && touch $$stamp.now && \
	    if [ -z "$$(find tests bench -name '*.bash' -newer $$stamp 2>&1)" ] && [ ! tests/lib.sh -nt $$stamp ]; \
	    then changed="-newer $$stamp"; else changed=; fi && \
	    { find tests/lib.sh -print0; grep -rlZE '^#!/bin/(ba)?sh' .ci bench completions packaging scripts tests; } | \
	    find -files0-from - $$changed -print0 | \
	    xargs -0 -r -n 8 -P "$$(nproc)" shellcheck -x -P $(BUILD)/lint/shell/tools:SCRIPTDIR -S warning && mv $$stamp.now $$stamp

lint-tidy: $(patsubst %,$(BUILD)/lint/%.tidy,$(sources) $(main) $(wildcard tools/*.cpp))
$(BUILD)/lint/%.tidy: % .clang-tidy $(settings) | $(skeletons)
	$(call say,TIDY,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CLANG_TIDY) --quiet $< -- $(cppflags) $(version_flag) -std=c++20 2>$@.log || { cat $@.log; false; }
	$(q)touch $@

# The other architecture: its objects need no more than the compiler, since Debian's headers are the same for both (the
# host's are looked at last); linking needs arm64 libraries, which tests/kernels/run puts into $(BUILD)/arm64/lib.
cross := aarch64-linux-gnu
cross_headers := -idirafter /usr/include -idirafter /usr/include/$(shell uname -m)-linux-gnu
cross_with = $(filter %ccache,$(firstword $(CXX))) $(cross)
for_arm64 = ARCH=aarch64 LIBBPF= BUILD=$(BUILD)/arm64 CXX='$(strip $(cross_with)-g++)' CC='$(strip $(cross_with)-gcc)' \
    CPPFLAGS='$(cross_headers)' CXXFLAGS='-O0 -g0' LDFLAGS=-L$(BUILD)/arm64/lib
.PHONY: check-arm64 objects arm64 tools-and-targets
check-arm64:  ## compile both halves for arm64, if g++-aarch64-linux-gnu is installed
	@command -v $(cross)-g++ >/dev/null || { echo 'skipped: $(cross)-g++ is not installed'; exit 77; }
	$(again) $(for_arm64) objects
arm64:  ## build the tools for arm64, or say what that needs
	@command -v $(cross)-g++ >/dev/null || { echo 'make arm64 needs g++-aarch64-linux-gnu: install it' >&2; exit 1; }
	@[ -e $(BUILD)/arm64/lib/libbpf.a ] || { echo "make arm64 needs arm64's static libraries in $(BUILD)/arm64/lib:" \
	    "tests/kernels/run arm64 downloads them" >&2; exit 1; }
	$(again) $(for_arm64) tools-and-targets
objects: $(call object,$(library_units) $(tool_units) $(main))
tools-and-targets: $(tools) $(targets)

# What an edit most likely breaks, in under a minute when everything is built but what was edited. tests/run, which make
# test ends with, also has the tools' tests against real programs, the fuzzers, the build's own tests and the kernels.
.PHONY: check
check: $(tools) unit-tests lint-format lint-headers lint-layers lint-names lint-shell  ## format, headers, layers, scripts, unit tests: under a minute after an edit
	@BUILD='$(BUILD)' tests/run unit/ build/manuals

# For clangd and the like: what make would do, were nothing built yet, as it says itself. No compiler runs.
.PHONY: compile_commands compile_commands.json
compile_commands: compile_commands.json  ## how each source is compiled, for clangd and other editors' helpers
compile_commands.json:
	$(q)mkdir -p $(BUILD)
	$(q)$(MAKE) --no-print-directory -nB V=1 UNITS=0 build-tests build-bench >$(BUILD)/commands
	$(q)scripts/compile-commands <$(BUILD)/commands >$@.tmp && mv $@.tmp $@

# --- installation --------------------------------------------------------------------------------
installed = $(NAME_PREFIX)$(1)$(NAME_SUFFIX)
share := $(DESTDIR)$(PREFIX)/share
.PHONY: install
install: $(BUILD)/bin/uscope  ## PREFIX=/usr/local DESTDIR= NAME_PREFIX= NAME_SUFFIX=
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
help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | \
	    while IFS="$$(printf '\t')" read -r target text; do printf '  %-17s %s\n' "make $$target" "$$text"; done
	@echo '  V=1 shows the commands; CXX=clang++ works too; BUILD=, LIBBPF=, SANITIZE= are explained in README.md'

ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),all)),)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
endif

.SECONDARY:
.DELETE_ON_ERROR:
