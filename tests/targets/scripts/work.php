<?php
// For each line on stdin, does what the line says a known number of times, and prints "done".
class Octi {
    function leaf(int $n): int { return $n + 1; }
}
function deep(int $n): int { return $n == 0 ? 0 : deep($n - 1) + 1; }
function fails() { throw new DomainException(); }

echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    switch (trim($line)) {
    case "calls":
        $octi = new Octi();
        for ($i = 0; $i < 500; $i++)
            $octi->leaf($i);
        break;
    case "recurse":
        for ($i = 0; $i < 3; $i++)
            deep(9);
        break;
    case "throw":
        for ($i = 0; $i < 20; $i++) {
            try {
                fails();
            } catch (DomainException $e) {
            }
        }
        break;
    case "collect":
        for ($i = 0; $i < 3; $i++)
            gc_collect_cycles();
        break;
    case "rings":
        for ($i = 0; $i < 50; $i++) {
            $ring = new stdClass();
            $ring->self = $ring;
        }
        unset($ring);
        gc_collect_cycles();
        break;
    }
    echo "done\n";
}
