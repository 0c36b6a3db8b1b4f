#!/bin/bash
# A profiler of Ruby asks rb_profile_frames() for the frames of a thread; stackprof does. Up to Ruby 3.3, these were the frames
# that Ruby's own backtraces show. Since 3.4, a backtrace shows a method that is in its rescue or ensure clause once, with the
# line of the clause. But rb_profile_frames() still has two frames with the same name: the clause's, and the method's with the
# line where the method begins. So a profile counts the method twice in one stack, as if it had called itself, and a
# stack of a profile has more frames than the backtrace of the same moment.
#
# Result with Ruby 3.4.11: for called() in a rescue clause of guarded(), the backtrace has
#     called:9 guarded:5 <main>:15
# and rb_profile_frames() has
#     called:9 guarded:5 guarded:1 <main>:15
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/{preferences.d,lists/partial,archives/partial} unpacked
: >apt/status
mirror=$(apt-get --print-uris update 2>/dev/null | sed -nE "s,^'([^']*)/dists/[a-z]+/(In)?Release'.*,\1,p" | head -n 1)
for suite in sid experimental; do
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done >apt/sources.list
own_apt() {
	apt-get -qq -o Dir::Etc="$folder/apt" -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" \
		-o Dir::Cache="$folder/apt" -o APT::Sandbox::User=root "$@"
}
own_apt update
own_apt --yes --no-install-recommends --download-only install ruby3.4=3.4.11-1~exp1 libruby3.4=3.4.11-1~exp1 >/dev/null
for package in apt/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C unpacked
done
libraries=$folder/unpacked/usr/lib/x86_64-linux-gnu

cat >clause.rb <<'RUBY'
def guarded(fails)
  return called unless fails
  raise 'failed'
rescue
  called
end

def called
  [caller_locations(0).map { |at| "#{at.base_label}:#{at.lineno}" }, profiled]
end

# Reads the newest frames as a profiler does, after Fiddle's own and this method's.
def profiled = Profiler.frames.drop_while { |frame| !frame.start_with?('called:') }

guarded(true).each { |frames| puts frames.join(' ') }
guarded(false).each { |frames| puts frames.join(' ') }
RUBY
cat >profiler.rb <<'RUBY'
require 'fiddle'
module Profiler
  word, int = Fiddle::TYPE_UINTPTR_T, Fiddle::TYPE_INT
  of = ->(name, types, result) { Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], types, result) }
  Frames = of['rb_profile_frames', [int, int, Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP], int]
  Label = of['rb_profile_frame_base_label', [word], word]
  Path = of['rb_profile_frame_path', [word], word]
  Found, Lines = Fiddle::Pointer.malloc(800), Fiddle::Pointer.malloc(400)
  def self.frames
    count = Frames.call(0, 100, Found, Lines)
    Found[0, 8 * count].unpack('Q*').zip(Lines[0, 4 * count].unpack('l*')).filter_map { |frame, line|
      "#{Fiddle.dlunwrap(Label.call(frame))}:#{line}" if Fiddle.dlunwrap(Path.call(frame))
    }
  end
end
RUBY

ruby() {
	"$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" unpacked/usr/bin/ruby3.4 --disable-gems \
		-I unpacked/usr/lib/ruby/3.4.0 -I unpacked/usr/lib/x86_64-linux-gnu/ruby/3.4.0 "$@"
}
[ "$(ruby -e 'print RUBY_VERSION')" = 3.4.11 ]
ruby -r ./profiler.rb clause.rb | tee frames
[ "$(cat frames)" = "$(
	printf '%s\n' 'called:9 guarded:5 <main>:15' 'called:9 guarded:5 guarded:1 <main>:15' \
		'called:9 guarded:2 <main>:16' 'called:9 guarded:2 <main>:16'
)" ]
echo 'so it is: profilers see two frames of a method that is in its rescue clause, backtraces one'
