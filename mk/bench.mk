# Benchmarks: of the library, and of the tools as a whole.

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(call object,$(support)) $(library)
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $^ -lbenchmark_main -lbenchmark $(ldlibs) -lpthread -o $@

# The traced programs, the minimal program to compare with, and the stopwatch.
$(BUILD)/bench/%: bench/%.c $(library) $(settings) | $(bench_skeletons)
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(cppflags) -O2 -g1 $(warnings) -MMD -MP -MF $@.d $< -o $@ -static $(ldlibs)

.PHONY: bench bench-peers build-bench
build-bench: $(benches) $(bench_helpers) $(tools)
bench: build-bench  ## measure the library, and the tools as a whole against a C program on libbpf
	$(q)set -e; for bench in $(benches); do $$bench; done
	$(q)BUILD='$(BUILD)' bench/run
bench-peers: build-bench  ## compare with the newest bpftrace and BCC, which it downloads, and write build/peers/benchmarks.md (15 minutes)
	$(q)BUILD='$(BUILD)' bench/peers
