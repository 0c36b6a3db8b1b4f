<?php
// Serves orders of a shop: with a lock, a hot loop, and an exception that nobody sees.
class NoSuchCustomer extends Exception {}

class Shop {
    private array $sessions = [];

    function customer(int $number): string {
        if ($number % 5 == 0)
            throw new NoSuchCustomer();
        return "customer $number";
    }

    function total(array $prices): int {
        $sum = 0;
        foreach ($prices as $price)
            $sum += $price > 7 ? $price - 7 : 0;
        return $sum;
    }

    function reserve(int $order): void {
        $lock = fopen("warehouse", "c");
        flock($lock, LOCK_EX);
        usleep(5000);
        fclose($lock);
    }

    function serve(int $order): void {
        try {
            $this->customer($order);
        } catch (NoSuchCustomer $e) {
        }
        $this->total(range(1, 100000));
        $this->reserve($order);
        for ($i = 0; $i < 300; $i++) {
            $session = new stdClass();
            $session->basket = [$session];  // a cycle: only the collector frees it
        }
    }
}

echo "open\n";
$shop = new Shop();
for ($order = 1;; $order++)
    $shop->serve($order);
