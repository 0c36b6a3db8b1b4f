#!/bin/bash
# ring: first
# privileges: none
source "$(dirname "$0")/../lib.sh"
cd "$ROOT"

# LICENSES/ has the two licences that the kernel calls "Dual BSD/GPL"; everything else is Apache-2.0.
for source in bpf/*.bpf.c bpf/*/*.bpf.c; do
	expect_line 'SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause' "$source"
	expect_line 'SEC\("license"\) = "Dual BSD/GPL"' "$source"
done
