# Run by `perf script -s`: a line for each event, "TID NANOSECONDS ADDRESS…", addresses in hexadecimal, the leaf first.
# Callers' addresses are the return addresses minus one, so that they lie in the call.


def trace_unhandled(name, context, fields, sample):
    chain = " ".join("%x" % frame["ip"] for frame in fields["common_callchain"])
    print(fields["common_pid"], fields["common_s"] * 1_000_000_000 + fields["common_ns"], chain)
