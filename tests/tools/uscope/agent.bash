# shellcheck shell=bash disable=SC2154 # variables from lib.sh
# For tests of `uscope agent`: its file is $T/agent.yaml, its port $metrics_port.

# Starts `uscope agent` with the file, and waits until all its tools are ready.
start_agent() {
	run_tool uscope agent "$T/agent.yaml"
	agent_pid=$tool_pid agent_err=$tool_err
}

# Sets metrics_port to a port that nothing uses now.
choose_metrics_port() {
	need_command curl python3
	metrics_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
}

scrape() { # FILE
	curl -sf --max-time 20 "http://127.0.0.1:$metrics_port/metrics" >"$1"
}

# Prints the sum of the values of the samples whose text begins with PREFIX and matches REGEX.
sum_of() { # PREFIX REGEX FILE
	grep -E "^$1(\{| )" "$3" | grep -E -- "$2" | awk '{ sum += $NF; n++ } END { print n ? sum : "none" }'
}

# Scrapes until the sum is WANTED; the last scrape is in $T/scraped.
has_sum() { # WANTED PREFIX REGEX
	scrape "$T/scraped" && [ "$(sum_of "$2" "$3" "$T/scraped")" = "$1" ]
}
wait_for_sum() { # WANTED PREFIX REGEX
	wait_for "has_sum '$1' '$2' '$3'" 60
}

# Prints the process of a tool of the agent, by a part of its command line.
child() { # PATTERN
	pgrep -P "$agent_pid" -f -- "$1"
}

# Each family once, with HELP and TYPE before its samples, each sample once.
expect_valid_metrics() { # FILE
	python3 - "$1" <<-'PY'
		import re, sys
		families, family, samples = {}, None, set()
		for line in open(sys.argv[1]).read().splitlines():
		    if line.startswith("# HELP "):
		        family = line.split(" ")[2]
		        assert family not in families, line
		        families[family] = None
		    elif line.startswith("# TYPE "):
		        _, _, name, kind = line.split(" ")
		        assert name == family and families[family] is None and kind in ("counter", "gauge", "histogram"), line
		        families[family] = kind
		    else:
		        sample = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_0-9]+="(?:[^"\\]|\\.)*",?)*\})? ([0-9.e+-]+|NaN)', line)
		        assert sample, line
		        name = sample[1]
		        if families[family] == "histogram":
		            name = re.sub(r"_(bucket|sum|count)$", "", name)
		        assert name == family, (family, line)
		        assert sample[1] + (sample[2] or "") not in samples, line
		        samples.add(sample[1] + (sample[2] or ""))
		assert samples and all(families.values())
	PY
}
