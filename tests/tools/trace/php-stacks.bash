# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# php_stacks COMMAND…: checks that PHP's frames are those that PHP itself reports. The program calls
# usleep() in all kinds of functions, and prints its own view of each stack: function (file:line),
# the newest first.
source "$ROOT/tests/tools/trace/stacks.bash"

write_php_stacks() {
	cat >"$T/shapes.php" <<'PROGRAM'
<?php
$wanted = [];

function shown($trace, $line) {
    $frames = [];
    $place = basename(__FILE__) . ":$line";
    foreach (array_merge($trace, [['function' => '{main}']]) as $frame) {
        $name = $frame['function'];
        if (preg_match('/^(include|require)(_once)?$/', $name))
            $name = '{main}';
        if (isset($frame['class']))
            $name = explode("\0", $frame['class'])[0] . "::$name";
        $frames[] = "$name ($place)";
        $place = isset($frame['file']) ? preg_replace('|^.*/|', '', $frame['file']) . ":$frame[line]" : 'internal';
    }
    return implode(' < ', $frames);
}

function call() {
    $GLOBALS['wanted'][] = 'usleep (internal) < ' . shown(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), __LINE__); usleep(0);
    return 1;
}

function recurse($n) {
    if ($n === 0)
        return call();
    return recurse(
        $n - 1
    );
}

trait Traits {
    function of_trait() { return call(); }
}

class Shape implements ArrayAccess, IteratorAggregate {
    use Traits;
    function __construct($calls = false) {
        if ($calls)
            call();
    }
    function method() { return call(); }
    static function of_class() {
        return call();
    }
    function closure() {
        return function () { return call(); };
    }
    function __destruct() { call(); }
    function __toString() { call(); return ''; }
    function __get($name) { return call(); }
    function __call($name, $arguments) { return call(); }
    static function __callStatic($name, $arguments) { return call(); }
    function __invoke() { return call(); }
    #[ReturnTypeWillChange]
    function offsetGet($i) { return call(); }
    #[ReturnTypeWillChange]
    function offsetSet($i, $v) { call(); }
    #[ReturnTypeWillChange]
    function offsetExists($i) { return (bool)call(); }
    #[ReturnTypeWillChange]
    function offsetUnset($i) { call(); }
    #[ReturnTypeWillChange]
    function getIterator() { call(); return generate(); }
}

class Child extends Shape {
    function method() {
        return parent::method();
    }
    function __destruct() {}
}

function generate() {
    for ($i = 0; $i < 2; $i++) {
        call();
        yield $i;
    }
}

function throws() {
    try {
        throw new Exception('thrown');
    } finally {
        call();
    }
}

function main() {
    call();
    recurse(7);
    $shape = new Shape(true);
    $shape->method();
    (new Child)->method();
    Shape::of_class();
    $shape->of_trait();
    $shape->closure()();
    "$shape";
    $shape->absent; $shape->absent(); Shape::absent();
    $shape();
    $shape[1]; $shape[1] = 2; isset($shape[1]); unset($shape[1]);
    foreach ($shape as $i)
        call();
    unset($shape);
    array_map(function ($x) {
        return recurse($x);
    }, [1, 2]);
    $more = 1;
    array_map(fn($x) => call() + $more, [1]);
    array_map('recurse', [1]);
    array_map([new Child, 'method'], [1]);
    $list = [3, 1];
    usort($list, function ($a, $b) { call(); return $a <=> $b; });
    preg_replace_callback('/a/', fn() => call(), 'a');
    call_user_func_array('Shape::of_class', []);
    array_map('usleep', [0]); $GLOBALS['wanted'][] = 'usleep (internal) < array_map (internal) < ' . shown([['function' => 'main', 'file' => __FILE__, 'line' => $GLOBALS['main_line']]], __LINE__);
    (new ReflectionFunction('recurse'))->invoke(1);
    foreach (generate() as $i)
        call();
    $generator = generate(); $generator->current(); $generator->next();
    iterator_to_array(generate());
    include __DIR__ . '/included.php';
    eval('call();

        function made() { call(); } made();');
    try {
        throws();
    } catch (Exception $e) {
        call();
    }
    set_error_handler(function () { return (bool)call(); });
    trigger_error('error');
    echo $undefined;
    restore_error_handler();
    spl_autoload_register(function ($class) { call(); });
    is_callable('Absent::absent');
    (new class extends Child {
        function own() { call(); }
    })->own();
    spl_autoload_unregister(spl_autoload_functions()[0]);
    if (class_exists('Fiber')) {
        $fiber = new Fiber(function () {
            call();
            Fiber::suspend(1);
            recurse(1);
            $inner = new Fiber(function () { call(); Fiber::suspend(); call(); });
            $inner->start();
            $inner->resume();
        });
        $fiber->start();
        array_map(fn() => $fiber->resume(), [1]);
    }
    \Own\Space\call_from_space();
}
require __DIR__ . '/space.php';
echo "ready\n";
fgets(STDIN);
$main_line = __LINE__ + 1;
main();
foreach ($wanted as $line)
    echo "$line\n";
echo "done\n";
fgets(STDIN);
PROGRAM
	cat >"$T/included.php" <<'PROGRAM'
<?php

call();
recurse(2);
PROGRAM
	cat >"$T/space.php" <<'PROGRAM'
<?php
namespace Own\Space;

function call_from_space() {
    array_map(function () { \call(); }, [1]);
    \array_map('\Own\Space\of_name', [1]);
}
function of_name() { \call_user_func('call'); }
PROGRAM
}

php_stacks() { # COMMAND…
	write_php_stacks
	trace_stacks c:usleep -- "$@" "$T/shapes.php"
	expect_line 'call .* < recurse .* < array_map \(internal\) < main ' "$target_out"
	source_frames_of "$tool_out" >"$T/frames"
	diff "$target_out" "$T/frames" >&2 || fail "the frames differ from PHP's"
	# The start of a fiber's C stack has no unwind information, so [cut: no …] is expected.
	expect_no_line 'too late|\[cut: [^n]' "$tool_out"
	# With its probes enabled, PHP has an additional activation for __call().
	[ -n "${USE_ZEND_DTRACE-}" ] || expect_no_line ' execute_ex' "$tool_out"
}
