# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# ruby_stacks COMMAND…: checks that Ruby's frames are those that Ruby itself reports. The program
# calls getppid() in all kinds of methods and blocks, and prints its own view of each stack:
# label (file:line), the newest first.
source "$ROOT/tests/tools/trace/stacks.bash"

write_ruby_stacks() {
	cat >"$T/shapes.rb" <<'PROGRAM'
require 'fiddle'
$wanted = []
GC.disable # the tool reads names a moment after the calls

# Frames of rb_profile_frames(), newest first. C functions have no file, or no frame before 3.0.
module Frames
  of = ->(name, types, result) { Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], types, result) }
  Profile = of['rb_profile_frames', [Fiddle::TYPE_INT, Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT]
  Path = of['rb_profile_frame_path', [Fiddle::TYPE_UINTPTR_T], Fiddle::TYPE_UINTPTR_T]
  Label = of['rb_profile_frame_label', [Fiddle::TYPE_UINTPTR_T], Fiddle::TYPE_UINTPTR_T]
  Found, Lines = Fiddle::Pointer.malloc(8 * 200), Fiddle::Pointer.malloc(4 * 200)
  def self.of_ruby
    own = RUBY_VERSION < '3' ? 2 : 3 # Fiddle's call(), a C function; this method; shown()
    count = Profile.call(0, 200, Found, Lines)
    found = Found[0, 8 * count].unpack('Q*').zip(Lines[0, 4 * count].unpack('l*')).drop(own)
    found.filter_map { |frame, line|
      [Fiddle.dlunwrap(Label.call(frame)), line] if Fiddle.dlunwrap(Path.call(frame))
    }
  end
end

# In a backtrace, C functions have their caller's line. Profilers name blocks like their method. Since Ruby 3.4, labels begin
# with the class, and the frame of a rescue or ensure hides that of its method.
def shown(locations)
  of_ruby = Frames.of_ruby
  found = locations.each_with_index.flat_map { |at, i|
    label, method = at.label, at.base_label
    label = label.sub(/\S+[#.](?=#{Regexp.escape(method)}\z)/, '') if RUBY_VERSION >= '3.4'
    known = [[label, at.lineno], [method, at.lineno]].include?(of_ruby.first) && of_ruby.shift
    path = at.path.to_s.sub(/\(eval at .*\//, '(eval at ').sub(/.*\//, '')
    frames = ["#{label} (#{known ? "#{path}:#{at.lineno}" : 'internal'})"]
    while RUBY_VERSION >= '3.4' && known && of_ruby.first && of_ruby.first[0] == method &&
          locations.drop(i + 1).none? { |caller| of_ruby.first == [caller.base_label, caller.lineno] }
      frames << "#{label} (#{path}:#{of_ruby.shift[1]})"
    end
    frames
  }
  raise "#{of_ruby} are not in #{locations}" unless of_ruby.empty? || of_ruby == [['<main>', 0]]
  found.unshift('ppid (internal)').join(' < ')
end

def called
  $wanted << shown(caller_locations(0)); Process.ppid
  1
end

def recurse(n)
  return called if n == 0
  recurse(
    n - 1
  )
end

class Shape
  include Comparable
  attr_accessor :member
  def initialize(calls = false)
    called if calls
  end
  def method
    called
  end
  def self.of_class
    called
  end
  class << self
    def singleton() called end
  end
  define_method(:defined) { |n = 1|
    called
  }
  def method_missing(name, *arguments)
    called
    yield if block_given?
  end
  def respond_to_missing?(name, all)
    !!called
  end
  def to_s
    called
    'text'
  end
  def <=>(other)
    called
    0
  end
  def [](at) called end
  def each
    called
    yield 1
    yield(
      2
    )
  end
  def coerce(other)
    called
    [1, 2]
  end
  def to_proc() ->(x) { called } end
  def ==(other) called && true end
  def hash() called end
  protected def guarded
    called
  end
  public def calls_guarded() guarded end
end

module Before
  def method
    super
  end
end
class Child < Shape
  prepend Before
  def initialize(*)
    super
    called
  end
  def method
    super()
  end
  called
end
module Refined
  refine Integer do
    def refined() called end
  end
end
using Refined

def größe
  called
end

def rescues
  raise 'rescued'
rescue => e
  called
  begin
    called
  ensure
    called
  end
else
  0
ensure
  called
end

def jumps
  [1, 2].each do |x|
    begin
      return called
    ensure
      called
    end
  end
end

def repeats
  i = 0
  while i < 2
    called
    i += 1
  end
  called until (i -= 1) == 0
  for j in [1]
    called
  end
  begin
    called
    i += 1
  end while i < 2
end

def with_keywords(a, b = called, *c, d: called, **e, &f)
  f.call(
    called,
    [a, b,
     called],
  )
end

def matches(x)
  case x
  in {a: [Integer => n, *]} if called
    called
  end
  x&.fetch(:a)&.then { |y| called }
  "#{called} and #{
    called
  }"
end

# So long that its table of lines does not fit into a few words.
eval "def long(n)\n" + (1..400).map { |i| "  n += #{i}; n -= 1 if n > #{i * 1000}\n" + (i % 40 == 0 ? "  called\n" : '') }.join +
  "  n\nend", binding, "/made/long.rb", 7
eval "def middle\n" + (1..12).map { |i| "  called\n  x#{i} = [#{i}, #{i}]\n" }.join + "end", binding, "/made/middle.rb", 100

def main
  called
  recurse(7)
  shape = Shape.new(true)
  shape.method
  Child.new.method
  Shape.of_class
  Shape.singleton
  shape.defined
  shape.absent { called }
  shape.respond_to?(:absent)
  "#{shape}"
  shape > Shape.new
  [Shape.new, Shape.new].sort
  [shape].max
  shape[1]
  shape.each { |x|
    called }
  shape.calls_guarded
  [1].each(&shape)
  {shape => 1}
  [shape, Shape.new].include?(shape)
  1.refined
  größe
  rescues
  jumps
  repeats
  with_keywords(1, d: 2) { called }
  with_keywords(1) { |*x| called }
  matches({a: [1]})
  long(1)
  middle
  [1, 2].each { |x| [x].map { |y| recurse(y) } }
  [3, 1].sort_by { |x| called }
  [1, 2].inject { |a, b| called }
  {a: 1}.each_pair { |k, v|
    called
  }
  Hash.new { |h, k| called }[1]
  2.times { called }
  1.upto(1) { recurse(1) }
  loop { called; break }
  1.tap { |x| called }
  1.then { called }
  catch(:thrown) { called; throw :thrown }
  lambda { called }.call
  proc { |x| called }.(1)
  ->(x, y) { called }.curry[1][2]
  method(:recurse).call(1)
  [1].each(&method(:recurse))
  %w[a].each(&:to_s)
  send(:recurse, 1)
  shape.public_send(:method)
  shape.instance_eval { called }
  shape.instance_exec(1) { |x| recurse(x) }
  Shape.class_eval { called }
  eval("called")
  eval("\n\ncalled", binding, '/srv/made.erb', 5)
  shape.instance_eval('called')
  Shape.class_eval("def evaluated\n\ncalled\nend\nself").new.evaluated
  2.times { |i| eval("\n" * i + "def again\n  called\nend\nagain") }
  'a'.gsub('a') { called; '' }
  enumerate = Enumerator.new { |y| called; y << 1; recurse(1); y << 2 }
  enumerate.next
  enumerate.next
  enumerate.each { called }
  (1..3).lazy.map { |x| called; x }.first(1)
  [4].each_with_index.map { |x, i| called }
  fiber = Fiber.new { |x|
    called
    Fiber.yield
    recurse(2)
    Fiber.new { called }.resume
  }
  fiber.resume(1)
  [1].each { fiber.resume }
  Thread.new { recurse(3) }.join
  Thread.new(2) { |n| [n].each { |x| called } }.value
  Struct.new(:a) { def of_struct() called end }.new(1).of_struct
  load "#{__dir__}/loaded.rb"
  require_relative 'required'
  BasicObject.new.instance_eval { ::Kernel.send(:called) }
  begin
    Integer('x')
  rescue ArgumentError
    called
  end
  old = trap('USR1') { called }
  Process.kill('USR1', Process.pid)
  sleep 0.01
end
at_exit { called; puts $wanted, 'done'; $stdout.flush; $stdin.gets }
puts 'ready'
$stdout.flush
$stdin.gets
$wanted.clear
main
PROGRAM
	cat >"$T/loaded.rb" <<'PROGRAM'

called
class Loaded
  called
  def self.loaded() recurse(1) end
end
Loaded.loaded
PROGRAM
	cp "$T/loaded.rb" "$T/required.rb"
}

ruby_stacks() { # COMMAND…
	write_ruby_stacks
	trace_stacks c:getppid -- "$@" "$T/shapes.rb"
	expect_line 'recurse .* < block \(2 levels\) in main ' "$target_out"
	source_frames_of "$tool_out" >"$T/frames"
	# What the frame of a rescue is called is not in a backtrace of Ruby 3.4.
	grep -q ' rescue in ' "$target_out" || sed -i -E 's/ (rescue|ensure) in / /g' "$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "the frames differ from Ruby's"
	expect_no_line 'too late|\[cut: [^nu]' "$tool_out"
}
