/*
 * Places of a map for the state of one run of a program. Programs may be preempted by others on the same processor, so
 * that there are several places for each. They are claimed with plain atomic additions, as Linux 5.10 has
 * no other ones. A place begins with a __u64 that counts who has it, or tries to; one at most has it.
 */
#pragma once

static __always_inline void claim_release(void *place)
{
	__u64 *users = place;

	__sync_fetch_and_add(users, -1);
}

/* One of the map's places that nobody has; `number` is its own from now on. NULL: there is none. */
static __always_inline void *claim(void *map, __u32 places, __u32 *number)
{
	for (__u32 i = 0; i < places; i++) {
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
