# As made.py.
$stdout.sync = true
$number = 0
def make
  code = (0...10).map { |i| "def f#{i}(n) = f#{i + 1}(n) + #{$number}\n" }.join + "def f10(n) = n + Process.ppid * 0"
  made = Object.new
  made.instance_eval(code, "made-#{$number}.rb")
  20.times { |i| exit(1) if made.f0(i) != i + 10 * $number }
  $number += 1
end
puts "ready"
while $stdin.gets
  10.times { make }
  puts "done"
end
