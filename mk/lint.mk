# Checks of the sources: format, layers, names, scripts, tools, words.

.PHONY: lint format lint-format lint-headers lint-layers lint-names lint-shell lint-tidy lint-tools lint-words
lint: lint-format lint-headers lint-layers lint-names lint-shell lint-tools lint-words lint-tidy  ## check the format and the code of all sources

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
# before it in common/rooms. No room includes a header of one tool. On the
# kernel side, bpf/lib includes no other room.
above = $(if $(filter $(1),$(firstword $(2))),$(wordlist 2,$(words $(2)),$(2)),$(call above,$(1),$(wordlist 2,$(words $(2)),$(2))))
lint-layers:
	$(q)! grep -nE '^#include (<bpf/|"($(subst $() ,|,$(live_rooms)))/)' $(pure) \
	    $(filter-out $(live_rooms:%=common/%/%),$(filter common/%,$(headers)))
	$(q)$(foreach room,$(filter-out $(lastword $(live_rooms)),$(live_rooms)),! grep -rnE \
	    '^#include "($(subst $() ,|,$(strip $(call above,$(room),$(live_rooms)))))/' common/$(room) &&) :
	$(q)! grep -nE '^#include "bpf/[a-km-z]' bpf/lib/*
	$(q)! grep -nE '^#include "(bpf/)?[^/]*"' $(sources) $(filter common/%,$(headers)) | grep -vE '"($(subst $() ,|,$(shared_skeletons:%.skel.h=%))).skel.h"'

# The sources of a folder are compiled as one, so local names must be unique in a folder.
lint-names:
	$(q)scripts/local-names $(sources) $(test_sources)

# Files that are edited by hand for each tool and lack one.
lint-tools:
	$(q)scripts/lint-tools

# Sentences that have to be read twice, by their patterns, and comments of more than 100 columns.
lint-words:
	$(q)scripts/lint-words

# Checks every file whose first line names a shell. Most of them read tests/lib.sh, which takes far
# longer to check than they do: it is checked once, and replaced by a file that sets the same
# variables when the others are checked. A file that has passed is checked again when it or a helper
# (*.bash, tests/lib.sh) has changed. shellcheck finds that file by several paths, so the paths of
# source lines are checked here.
lint-shell:
	$(q)mkdir -p $(BUILD)/lint/shell/tools/NAME
	$(q){ echo '# shellcheck shell=bash'; echo 'set -euo pipefail'; \
	    grep -ohE '\b[A-Za-z_]\w*=' tests/lib.sh tests/programs.bash tests/debian/*.bash tests/servers/*.bash | sort -u | sed 's/\(.*\)=/\1=$$\1/'; \
	    } >$(BUILD)/lint/shell/lib.sh
	$(q)! grep -rHoE '^source "\$$\(dirname "\$$0"\)/[^"$$]+"' tests bench | \
	    sed -E 's,^((.*)/[^/:]*):source "[^/]*(/.*)"$$,\1 \2\3,' | \
	    while read -r script path; do [ -e "$$path" ] || echo "$$script: there is no $$path"; done | grep .
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

# Checks what an edit most likely breaks, in under a minute if only the edit has to be built.
# tests/run also has the tools' tests against real programs, the fuzzers, the tests of the build and
# the kernels.
.PHONY: check
check: $(tools) unit-tests lint-format lint-headers lint-layers lint-names lint-shell lint-tools lint-words  ## format, headers, layers, scripts, unit tests: under a minute after an edit
	@BUILD='$(BUILD)' tests/run unit/ build/manuals build/options build/json-index

# For clangd and similar tools: the commands of a dry run (make -nB). No compiler runs.
.PHONY: compile_commands compile_commands.json
compile_commands: compile_commands.json  ## write how each source is compiled, for clangd and other language servers
compile_commands.json:
	$(q)mkdir -p $(BUILD)
	$(q)$(MAKE) --no-print-directory -nB V=1 UNITS=0 build-tests build-bench >$(BUILD)/commands
	$(q)scripts/compile-commands <$(BUILD)/commands >$@.tmp && mv $@.tmp $@
