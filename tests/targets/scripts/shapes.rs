// A Rust program for the tests of names: a free function, methods, a trait's method, a generic one.
mod geometry {
    pub struct Circle {
        pub radius: u64,
    }
    pub trait Area {
        fn area(&self, scale: u64) -> u64;
    }
    impl Circle {
        #[inline(never)]
        pub fn grow(&mut self, by: u64) -> u64 {
            self.radius += by;
            self.radius
        }
    }
    impl Area for Circle {
        #[inline(never)]
        fn area(&self, scale: u64) -> u64 {
            3 * self.radius * self.radius * scale
        }
    }
    #[inline(never)]
    pub fn twice<T: std::ops::Add<Output = T> + Copy>(value: T) -> T {
        value + value
    }
    #[inline(never)]
    pub fn label(text: &str, times: u32) -> usize {
        text.bytes().map(usize::from).sum::<usize>() * times as usize
    }
}

fn main() {
    use geometry::Area;
    let mut circle = geometry::Circle { radius: 2 };
    let text = std::env::args().nth(1).unwrap_or_default();
    let n = text.len() as u64;
    let grown = circle.grow(n);
    let area = circle.area(10 * n);
    let both = geometry::twice(n) + geometry::twice(n as u32) as u64;
    println!("{} {} {} {}", grown, area, both, geometry::label(&text, n as u32));
}
