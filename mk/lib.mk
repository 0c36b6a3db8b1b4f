# The user side: objects, and libuscope.a, which is all of common/.

define compile_object
	$(call say,CXX,$(<:$(BUILD)/units/%=%))
	$(q)mkdir -p $(@D)
	$(q)$(compile) -MMD -MP -c $< -o $@ $(renamed_later)
endef
$(BUILD)/obj/%.o: $(BUILD)/units/%.cpp $(settings) | $(skeletons)
	$(compile_object)
$(BUILD)/obj/%.o: %.cpp $(settings) | $(skeletons)
	$(compile_object)

small := $(call object,$(tool_sources) $(command_sources) $(filter tools/% $(foreach room,$(cold),$(call together,$(room)) common/$(room)/%),$(filter-out $(hot),$(units))))
$(small): private cxxflags += $(if $(sanitize),,-Os)
$(small): private speed := -Os

# Test programs link the same library as the tools; their own code need not be fast, and tests
# unwind it. (Distributions' _FORTIFY_SOURCE requires optimization.)
$(BUILD)/obj/tests/%.o: private cxxflags += -O0 -U_FORTIFY_SOURCE -fasynchronous-unwind-tables
$(BUILD)/obj/tests/%.o: private speed := -O0

$(library): $(call object,$(library_units)) $(if $(filter-out 0,$(UNITS)),$(BUILD)/units/apart)
	$(q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
