# Serves orders of a shop: with a lock, a hot loop, and an exception that nobody sees.
class NoSuchCustomer < StandardError
end

class Item
  attr_reader :price

  def initialize(price) = @price = price
end

class Shop
  def initialize
    @warehouse = Mutex.new
    @sessions = {}
  end

  def customer(number)
    raise NoSuchCustomer if number % 5 == 0
    "customer #{number}"
  end

  def total(prices)
    sum = 0
    prices.each { |price| sum += price - 7 if price > 7 }
    sum
  end

  def reserve(order)
    @warehouse.synchronize { sleep 0.005 }
  end

  def serve(order)
    begin
      customer(order)
    rescue NoSuchCustomer
      nil
    end
    20.times { |price| Item.new(price) }
    total(1..100_000)
    reserve(order)
    @sessions[order % 500] = "session" * 200
  end
end

shop = Shop.new
3.times { Thread.new { (1..).each { |order| shop.serve(order) } } }
puts "open"
$stdout.flush
sleep
