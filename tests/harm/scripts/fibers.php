<?php
// Fibers that suspend in the middle of nested calls and end in another order; generators; exceptions through both.
$sum = 17;
function mix($value) { global $sum; $sum = ($sum * 31 + crc32((string)$value)) % 1000000007; }

class Counted { static $left = 0; function __destruct() { self::$left++; } }

function nested(int $depth, int $self): int {
    $counted = new Counted;
    $got = $depth > 0 ? nested($depth - 1, $self) : $self;
    $got += Fiber::suspend($got);
    if ($got % 7 == 3) throw new RuntimeException("at $depth");
    return $got;
}
function in_callback(array $values): array {
    return array_map(function ($v) { mix($v); return Fiber::suspend($v) + 1; }, $values);
}
function numbers(int $n) {
    try { for ($i = 0; $i < $n; $i++) $got = yield $i => $i * $i; }
    finally { mix("finally $n"); }
    return $n;
}
function all(int $n) { $r = yield from numbers($n); yield $r; }

for ($round = 0; $round < 3; $round++) {
    $fibers = [];
    for ($n = 0; $n < 9; $n++) {
        $fibers[$n] = new Fiber($n % 3 ? fn($a) => nested($n, $a) : fn($a) => array_sum(in_callback([$a, 2, 3])));
        mix($fibers[$n]->start($n));
    }
    for ($step = 0; $step < 12; $step++)
        for ($n = 0; $n < 9; $n++) {
            $fiber = $fibers[($n * 4 + $step) % 9];
            if ($fiber->isTerminated()) continue;
            try {
                if ($step == 7 && $n == 5) $fiber->throw(new LogicException('thrown in'));
                else mix($fiber->resume($step));
            } catch (RuntimeException | LogicException $e) { mix($e->getMessage()); }
        }
    foreach (all(5) as $k => $v) mix("$k $v");
    foreach (numbers(9) as $k => $v) if ($k == 4) break;
    $fibers = null;
    gc_collect_cycles();
    $words = explode(' ', 'some words to be sorted by a callback');
    usort($words, fn($a, $b) => strlen($a) <=> strlen($b));
    mix(implode($words));
    mix(preg_replace_callback('/\d+/', fn($m) => $m[0] * 2, 'a1b22c333'));
    mix(json_encode(unserialize(serialize([1, 'two' => [3.5, null, true]]))));
    mix(md5(str_repeat('x', 100)) . sprintf('%05.2f', 3.14159));
}
echo "fibers $sum ", Counted::$left, "\n";
