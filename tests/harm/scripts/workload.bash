# Functions, traps, subshells, arrays, patterns, arithmetic, here documents.
sum=17
mix() { local text=$* i; for ((i = 0; i < ${#text}; i += 3)); do printf -v code %d "'${text:i:1}"; ((sum = (sum * 31 + code) % 1000000007)); done; }
dive() { if (($1 == 0)); then return 7; fi; dive $(($1 - 1)); local status=$?; mix "$1"; return $status; }
trap 'mix trapped' USR1
dive 12; mix $?
kill -USR1 $$
declare -A names=([one]=1 [two]=2 [three]=3)
for name in $(printf '%s\n' "${!names[@]}" | sort); do mix "$name ${names[$name]}"; done
values=(); for n in {1..40}; do values+=($((n * 7919 % 101))); done
mix "${values[@]}" "${values[@]:5:3}" "${#values[@]}"
text='some text with words'; mix "${text//t/T}" "${text%% *}" "${text^^}"
[[ $text =~ ([a-z]+)\ w ]] && mix "${BASH_REMATCH[1]}"
mix "$(cat <<END
a here document of $sum
END
)"
(exit 5); mix $?
case $text in some*) mix case ;; esac
while read -r line; do mix "$line"; done < <(seq 5)
mix "$(printf '%05d|%s' 42 x)" "$(echo "$text" | tr a-z A-Z)"
set -o pipefail; false | true; mix $?
coproc { read -r line; echo "got $line"; }
echo hello >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; mix "$line"
echo "bash $sum"
