# Run by `perf script -s`: a line for each event, "TID NANOSECONDS ADDRESS…", addresses in hexadecimal, the leaf first.
# Those of callers are one less than what the stack holds, so that they lie in the call.


def trace_unhandled(name, context, fields, sample):
    chain = " ".join("%x" % frame["ip"] for frame in fields["common_callchain"])
    print(fields["common_pid"], fields["common_s"] * 1_000_000_000 + fields["common_ns"], chain)
