/*
 * Slots of a per-CPU map. Each holds the state of one run of a program.
 *
 * Another program may preempt a program on the same CPU, so each CPU has several slots. Claiming
 * uses plain atomic additions, the only atomic operation that Linux 5.10 has for BPF. A slot begins
 * with a __u64 that counts the programs that hold it or are trying to; at most one holds it.
 */
#pragma once

static __always_inline void claim_release(void *slot)
{
	__u64 *users = slot;

	__sync_fetch_and_add(users, -1);
}

/* Claims a free slot of the map and writes its index to `number`. Returns NULL if none is free. */
static __always_inline void *claim(void *map, __u32 slots, __u32 *number)
{
	for (__u32 i = 0; i < slots; i++) {
		__u64 *users;

		*number = i;
		users = bpf_map_lookup_elem(map, number);
		if (!users)
			break;
		__sync_fetch_and_add(users, 1);
		if (*(volatile __u64 *)users == 1)
			return users;
		claim_release(users);
	}
	return NULL;
}
