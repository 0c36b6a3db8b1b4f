# The unit tests, the small traced programs, and the goals that run tests.

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

.PHONY: test test-all test-rest test-kernels test-sid documents harm stacks soak steady versions runtimes build-first build-tests unit-tests fuzz sanitize
build-first: $(tools) unit-tests
build-tests: build-first $(fuzzers) build-bench
unit-tests: $(unit_tests) $(targets)
test:  ## install missing packages, build, run the first ring of tests: each capability of each tool (10 minutes)
	@scripts/setup build first
	$(again) build-first
	@BUILD='$(BUILD)' tests/run --first $(if $(TOTALS),--totals '$(TOTALS)')
test-all:  ## run all tests: old and new versions, Debian 13, three kernels, fuzzers (see also tests/run)
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run
test-rest:  ## run the tests that `make test` leaves out
	@scripts/setup build test
	$(again) build-tests
	@BUILD='$(BUILD)' tests/run --rest $(if $(TOTALS),--totals '$(TOTALS)')
test-kernels:  ## test the tools on Debian's kernels 5.10 to the newest, also for arm64, in virtual machines (test-all has three of them)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run kernels/
test-sid:  ## build on Debian sid, in a chroot, and try the result (not a part of test-all)
	@scripts/setup build test
	$(again) $(tools)
	@BUILD='$(BUILD)' tests/run build/debian-sid-builds
documents:  ## run the examples of all guides and compare what they print (20 minutes; three guides are a part of test-all)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/run documents/ tools/all/guide-
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
# test-all has these with the oldest, one later and the newest version, or not at all.
versions_tests = tools/gohttp/go-1-26 tools/trace/go-returns-pie tools/trace/newer-go-pie tools/httpsnoop/npm-node \
    tools/profile/deno tools/profile/workerd tools/profile/node-leaves-npm tools/trace/node-names-npm \
    tools/trace/node-stacks-npm tools/ucalls/no-probes-npm tools/ugc/node-npm
versions:  ## test with each version of Go, Node.js, Bun and Deno between the oldest and the newest, which test-all has (10 minutes)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' ALL_VERSIONS=1 tests/run $(versions_tests)
runtimes:  ## find what the tools show of each runtime and version, and write docs/runtimes.md (an hour; not a part of test-all)
	@scripts/setup build test
	$(again) $(tools) $(targets)
	@BUILD='$(BUILD)' tests/runtimes/run | BUILD='$(BUILD)' tests/runtimes/table
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

.PHONY: pictures
pictures:  ## make the pictures of README.md again, from real programs (docs/pictures)
	@scripts/setup build pictures
	$(again) $(tools)
	@BUILD='$(BUILD)' scripts/pictures
