# Fibers that yield in the middle of nested calls and of methods written in C, exceptions, throw and catch, callcc-like
# enumerators, threads.
$sum = 17
def mix(value) = $sum = ($sum * 31 + value.to_s.sum) % 1_000_000_007

def nested(depth, own)
  got = depth > 0 ? nested(depth - 1, own) : own
  got += Fiber.yield(got)
  raise "at #{depth}" if got % 7 == 3
  got
ensure
  mix(depth)
end

2.times do
  fibers = (0...9).map do |n|
    Fiber.new { |a| n % 3 == 0 ? [a, 2, 3].each { |v| mix(Fiber.yield(v)) } : nested(n, a) }
  end
  12.times do |step|
    9.times do |n|
      fiber = fibers[(n * 4 + step) % 9]
      next unless fiber.alive?
      begin
        mix(fiber.resume(step))
      rescue RuntimeError => error
        mix(error.message)
      end
    end
  end
  numbers = Enumerator.new { |y| 10.times { |i| y << i * i } }
  mix(numbers.next) while numbers.peek < 50
  mix([3, 1, 2].sort_by { |x| -x }.inspect)
  mix(catch(:found) { [1, 2, 3].each { |x| [4, 5].each { |y| throw :found, x * y if x * y == 10 } } })
  mix((1..Float::INFINITY).lazy.map { |x| x * 2 }.select { |x| x % 3 == 0 }.first(4).inspect)
  mix([1, 2, 3].each_slice(2).to_a.inspect)
  queue = Queue.new
  threads = 3.times.map { |i| Thread.new { 5.times { |j| queue << i * j } } }
  threads.each(&:join)
  mix(Array.new(queue.size) { queue.pop }.sum)
  mix("some text 123".gsub(/\d+/) { |m| (m.to_i * 2).to_s })
  begin
    Integer("none")
  rescue ArgumentError => error
    mix(error.message)
  end
  GC.start
end
puts "fibers #{$sum}"
