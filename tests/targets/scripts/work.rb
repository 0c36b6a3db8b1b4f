# For each line on stdin, does what the line says a known number of times, and prints "done". With
# the argument "traced", enables a TracePoint first.
class Octi
  def leaf(n) = n + 1
end

def deep(n) = n == 0 ? 0 : deep(n - 1) + 1

def fails = raise(ArgumentError)

TracePoint.new(:call, :return) {}.enable if ARGV.delete("traced")
GC.disable
$stdout.sync = true
puts "ready"
while (line = $stdin.gets)
  case line.strip
  when "calls"
    octi = Octi.new
    500.times { |i| octi.leaf(i) }
  when "recurse"
    3.times { deep(9) }
  when "throw"
    20.times do
      fails
    rescue ArgumentError
      nil
    end
  when "objects"
    kept = Array.new(700) { Octi.new }
  when "strings"
    kept = Array.new(300) { String.new("0123456789") }
  when "collect"
    GC.enable
    3.times { GC.start }
    GC.disable
  end
  puts "done"
end
