"""Serves orders of a shop: with a lock, a hot loop, and an exception that nobody sees."""
import threading
import time

warehouse = threading.Lock()
sessions = []


class Session:
    def __init__(self, order):
        self.order = order
        self.basket = {"session": self}  # a cycle: only the collector frees it


def customer(number):
    if number % 5 == 0:
        raise KeyError(number)
    return f"customer {number}"


def total(prices):
    result = 0
    for price in prices:
        result += price - 7 if price > 7 else 0
    return result


def reserve(order):
    with warehouse:
        time.sleep(0.005)


def serve(order):
    try:
        customer(order)
    except KeyError:
        pass
    total(range(100000))
    reserve(order)
    for i in range(20):
        Session(order)
    sessions.append(str(order) * 1000)
    if order % 50 == 0:
        threading.Thread(target=customer, args=(1,)).start()


def work():
    order = 0
    while True:
        order += 1
        serve(order)


for _ in range(3):
    threading.Thread(target=work).start()
print("open", flush=True)
