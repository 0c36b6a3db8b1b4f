// Panics that are caught, in nested calls, in callbacks of the standard library, in threads; destructors that run.
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};

static DROPPED: AtomicU64 = AtomicU64::new(0);
struct Counted;
impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

#[inline(never)]
fn dive(depth: u64) -> u64 {
    let _counted = Counted;
    if depth == 0 {
        panic!("bottom");
    }
    dive(depth - 1) + depth
}

#[inline(never)]
fn catch_and_go_on(depth: u64) -> u64 {
    match catch_unwind(|| dive(depth)) {
        Ok(value) => value,
        Err(what) => {
            if depth % 3 == 0 {
                resume_unwind(what);
            }
            depth * 7
        }
    }
}

#[inline(never)]
fn sorted(values: &mut Vec<u64>) -> u64 {
    let mut compared = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        values.sort_by(|a, b| {
            compared += 1;
            if compared == 20 {
                panic!("while sorting");
            }
            a.cmp(b)
        })
    }));
    compared + result.is_err() as u64
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let rounds: u64 = std::env::args().nth(1).map_or(1, |n| n.parse().unwrap());
    let mut sum = 17u64;
    let mut mix = |value: u64| sum = sum.wrapping_mul(31).wrapping_add(value) % 1_000_000_007;
    for _ in 0..rounds {
        for depth in 0..12 {
            mix(catch_unwind(|| catch_and_go_on(depth)).unwrap_or(5));
        }
        mix(sorted(&mut (0..30).map(|n| n * 7919 % 31).collect()));
        let thread = std::thread::spawn(|| dive(5));
        mix(thread.join().is_err() as u64);
        let text: String = (0..20).map(|n| format!("{:>3}", n * n)).collect();
        mix(text.len() as u64 + text.matches('4').count() as u64);
        mix(DROPPED.load(Ordering::SeqCst));
    }
    println!("panics {} {}", sum, DROPPED.load(Ordering::SeqCst));
}
