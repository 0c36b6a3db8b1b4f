# The program build/bin/uscope with all tools, and each tool as a program of its own.

# Generates the table of run/tools.h: the tools and the commands of a program.
tool_table = { echo '\#include "run/tools.h"'; \
    $(foreach tool,$(1) $(2),echo 'namespace uscope::tools::$(subst -,_,$(tool)) { Result<> tool_main(run::Tool &tool); }';) \
    echo 'namespace uscope::run { static const ToolEntry entries[] = {'; \
    $(foreach tool,$(1),echo '    {"$(tool)", tools::$(subst -,_,$(tool))::tool_main, false},';) \
    $(foreach command,$(2),echo '    {"$(command)", tools::$(command)::tool_main, true},';) \
    echo '}; const std::span<const ToolEntry> tool_entries = entries; }'; }
$(BUILD)/tables/uscope.cpp: $(tool_sources) $(command_sources) mk/tools.mk $(settings)
	$(q)mkdir -p $(@D)
	$(q)$(call tool_table,$(notdir $(tools)),$(basename $(notdir $(command_sources)))) >$@
$(BUILD)/tables/%.cpp: tools/%.cpp $(settings)
	$(q)mkdir -p $(@D)
	$(q)$(call tool_table,$*) >$@
# Generates the aliases of run/tools.h and the scripts of run/completion.h.
shells := bash zsh fish
completion_table = { echo '\#include "run/completion.h"'; \
    echo 'namespace uscope::run { static const Alias alias_table[] = {'; \
    sed -E 's/^([^ ]+) ([^ ]+) (.*)/    {"\1", "\2", "\3"},/' tools/aliases; \
    echo '}; const std::span<const Alias> aliases = alias_table; static const CompletionScript scripts[] = {'; \
    $(foreach shell,$(shells),printf '%s' '    {"$(shell)", R"script('; cat completions/$(shell); echo ')script"},';) \
    echo '}; const std::span<const CompletionScript> completion_scripts = scripts; }'; }
completion := $(BUILD)/tables/completion
$(completion).cpp: tools/aliases $(shells:%=completions/%) mk/tools.mk $(settings)
	$(q)mkdir -p $(@D)
	$(q)$(completion_table) >$@
$(BUILD)/tables/%.o: $(BUILD)/tables/%.cpp
	$(q)$(compile) -MMD -MP -c $< -o $@

# main() is not in the library: a test program that linked it would run a tool instead of its tests.
# The linker's map says which libraries the program contains (scripts/linked-packages).
define link_tools
	$(call say,LINK,$@)
	$(q)mkdir -p $(@D)
	$(q)$(link) $(link_kind) -Wl,-Map=$(BUILD)/$(@F).map $(filter %.o %.a,$^) $(ldlibs) $(if $(sanitize),,$(library)) -o $@
endef
$(BUILD)/bin/uscope: $(BUILD)/tables/uscope.o $(completion).o $(call object,$(tool_units) $(main)) $(library) $(link_settings)
	$(link_tools)
$(tools): $(BUILD)/bin/uscope
	$(q)ln -sf uscope $@
# Links the tool's own object, not its unit, whose initializers would pull in the unit's other
# tools.
$(BUILD)/single/%: $(BUILD)/tables/%.o $(completion).o $(BUILD)/obj/tools/%.o $(call object,$(main)) $(library) $(link_settings)
	$(link_tools)
.PHONY: all single
all: $(tools)  ## build build/bin/uscope, and a link for each of its tools (the default)
single: $(single)  ## build each tool as a separate program, in build/single
