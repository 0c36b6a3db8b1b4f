// Calls functions with Rust's texts.
use std::hint::black_box;

#[inline(never)]
pub fn borrowed(text: &str, number: u32) -> usize {
    black_box(text).len() + black_box(number) as usize
}

#[inline(never)]
pub fn owned(text: String, bytes: &Vec<u8>) -> usize {
    black_box(&text).len() + black_box(bytes).len()
}

#[inline(never)]
pub fn slice(bytes: &[u8], number: u64) -> usize {
    black_box(bytes).len() + black_box(number) as usize
}

#[derive(Clone, Copy)]
pub enum Kind {
    Low = 2,
    High = 9,
}

#[inline(never)]
pub fn kind(kind: Kind, text: &String) -> usize {
    black_box(kind) as usize + black_box(text).len()
}

#[inline(never)]
pub fn maybe(text: Option<&str>, boxed: Option<Box<str>>, number: u32) -> usize {
    black_box(text).map_or(0, |t| t.len()) + black_box(boxed).map_or(0, |t| t.len()) + black_box(number) as usize
}

fn main() {
    let bytes = black_box(vec![b'x', b'y']);
    let text = black_box(String::from("owned text"));
    let mut sum = borrowed(black_box("a slice of text"), black_box(7));
    sum += borrowed(&text, black_box(8));
    sum += owned(text.clone(), &bytes);
    sum += owned(String::new(), &black_box(vec![]));
    sum += slice(&bytes, black_box(3));
    sum += slice(text.as_bytes(), black_box(4));
    sum += kind(black_box(Kind::High), &text);
    sum += kind(black_box(Kind::Low), &text);
    sum += maybe(black_box(Some("some text")), black_box(None), black_box(5));
    sum += maybe(black_box(None), black_box(Some("boxed".into())), black_box(6));
    println!("{}", sum);
}
