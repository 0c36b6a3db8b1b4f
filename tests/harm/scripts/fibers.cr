# Fibers, channels and exceptions.
class Sum
  class_property value = 17_u64
end

def mix(value)
  Sum.value = (Sum.value * 31 + value.to_u64) % 1_000_000_007
end

def nested(depth : Int32) : Int32
  got = depth > 0 ? nested(depth - 1) : 1
  Fiber.yield
  raise "at #{depth}" if got % 7 == 3
  got + depth
end

3.times do
  results = Channel(Int32).new
  9.times do |n|
    spawn do
      begin
        results.send(nested(n))
      rescue error
        results.send(error.message.not_nil!.size)
      end
    end
  end
  mix((0...9).sum { results.receive })
  mix([3, 1, 2].sort_by { |x| -x }.first)
  GC.collect
end
puts "fibers #{Sum.value}"
