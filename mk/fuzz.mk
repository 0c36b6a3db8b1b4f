# Fuzzers compile the pure rooms that they need again, with clang and the sanitizers. Their seeds
# are in tests/fuzz/corpus/NAME; tests/fuzz/seeds/make makes those that are binary files.
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
