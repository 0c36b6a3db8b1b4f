# uscope: one program with all tools, and a link for each.  `make help` lists the targets.
#
# No makefile names a tool or a room: each bpf/NAME.bpf.c becomes an object and a skeleton, each
# tools/NAME.cpp a tool in build/bin/uscope, which links libuscope.a (all of common/). common/rooms
# says how each room is compiled. Header dependencies come from the compilers.

ARCH     ?= $(shell uname -m)
BUILD    ?= build
CLANG    ?= clang
CLANGXX  ?= clang++
BPFTOOL  ?= bpftool
LLVM_OBJCOPY ?= $(shell $(CLANG) -print-prog-name=llvm-objcopy)
PREFIX   ?= /usr/local
DESTDIR  ?=
# Prefix and suffix of installed names: with NAME_PREFIX=u, trace becomes utrace, because BCC also
# installs a trace.
NAME_PREFIX ?=
NAME_SUFFIX ?=
# The directory of a newer libbpf (with include/ and lib64/ or lib/), to use instead of the
# system's.
LIBBPF   ?=
# 0: link with the system's shared libraries, instead of one static program.
STATIC   ?= 1
# 0: keep the symbols and debug information of the program.
STRIP    ?= 1
# 1: keep the line records of the BPF programs, for the verifier's log (USCOPE_VERIFIER_LOG).
BPF_LINES ?= 0
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

.DEFAULT_GOAL := all

include mk/flags.mk    # flags of the compilers; a change of settings compiles everything again
include mk/sources.mk  # the sources, by room (common/rooms), and the units in which they are compiled
include mk/bpf.mk      # the kernel side: bpf/*.bpf.c become objects and skeletons
include mk/lib.mk      # the user side: objects and libuscope.a, which is all of common/
include mk/tools.mk    # build/bin/uscope and its links; each tool as a separate program
include mk/tests.mk    # unit tests, the small traced programs, the goals that run tests
include mk/fuzz.mk     # fuzzers
include mk/bench.mk    # benchmarks
include mk/arm64.mk    # the cross build for arm64
include mk/lint.mk     # checks of the sources
include mk/install.mk  # installation
include mk/dist.mk     # the archives of a release

# Targets that first install packages run another make after that, on all processors unless the
# first make has its own number of jobs.
again = +$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: clean help
clean:  ## remove the build folder
	rm -rf $(BUILD)
help:  ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*  ## /\1\t/p' $(filter mk/%,$(MAKEFILE_LIST)) Makefile | \
	    while IFS="$$(printf '\t')" read -r target text; do printf '  %-17s %s\n' "make $$target" "$$text"; done
	@echo '  V=1 shows the commands; CXX=clang++ works too; BUILD=, LIBBPF=, SANITIZE=, STATIC= are explained in docs/building.md'

ifneq ($(filter-out help clean dist-source,$(or $(MAKECMDGOALS),all)),)
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
endif

.SECONDARY:
.DELETE_ON_ERROR:
