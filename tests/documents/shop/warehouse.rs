// A warehouse that gets ten orders a second. The guide to C, C++ and Rust traces it.
use std::{collections::HashMap, thread, time::Duration};

pub struct Order {
    pub number: u64,
    pub article: String,
    pub pieces: u32,
}

#[derive(Debug)]
pub struct OutOfStock;

pub struct Warehouse {
    stock: HashMap<String, u32>,
}

impl Warehouse {
    #[inline(never)]
    pub fn take(&mut self, order: &Order) -> Result<u32, OutOfStock> {
        let left = self.stock.get_mut(&order.article).ok_or(OutOfStock)?;
        *left = left.checked_sub(order.pieces).ok_or(OutOfStock)?;
        Ok(*left)
    }

    #[inline(never)]
    pub fn refill(&mut self, article: &str, pieces: u32) {
        *self.stock.entry(article.to_string()).or_default() += pieces;
    }
}

fn main() {
    let mut warehouse = Warehouse { stock: HashMap::new() };
    println!("open");
    for number in 1.. {
        let article = ["tea", "coffee", "mugs"][number as usize % 3].to_string();
        let order = Order { number, article, pieces: 1 + number as u32 % 7 };
        if warehouse.take(&order).is_err() {
            warehouse.refill(&order.article, 20);
        }
        thread::sleep(Duration::from_millis(100));
    }
}
