# The kernel side: each bpf/NAME.bpf.c becomes an object and a skeleton.

vpath %.bpf.c bpf bpf/shared bench
$(BUILD)/bpf/%.o: %.bpf.c scripts/slim-bpf $(settings)
	$(call say,BPF,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CLANG) $(bpf_flags) -MD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $(@:.o=.raw.o) $(renamed_later)
	$(q)$(if $(filter-out 0,$(BPF_LINES)),,scripts/slim-bpf $(LLVM_OBJCOPY) $(@:.o=.raw.o))
	$(q)$(BPFTOOL) gen object $@ $(@:.o=.raw.o)

$(BUILD)/skel/%.skel.h: $(BUILD)/bpf/%.o scripts/pack-skeleton
	$(q)mkdir -p $(@D)
	$(q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf >$@.whole
	$(q)$(if $(filter $@,$(bench_skeletons)),mv $@.whole $@,scripts/pack-skeleton $< <$@.whole >$@.tmp && rm $@.whole && mv $@.tmp $@)
