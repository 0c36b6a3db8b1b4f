#!/bin/bash
# timeout: 240
# shares: trixie
source "$(dirname "$0")/../../lib.sh"
source "$(dirname "$0")/java-stacks.bash"

# As java-stacks.sh, with JDK 21 and 25: their structures differ from those of 17 and from each
# other.
write_java_stacks
for version in 21 25; do
	debian_root trixie "openjdk-$version-jre-headless"
	java=("${in_root[@]}" "/usr/lib/jvm/java-$version-openjdk-amd64/bin/java")
	java_stacks 0 "${java[@]}" -Xint
	java_stacks 3000 "${java[@]}" -Xbatch -XX:TieredStopAtLevel=1
	java_stacks 20000 "${java[@]}" -Xbatch
done
java_replaced "${java[@]}" # JDK 25
