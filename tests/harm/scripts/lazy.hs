-- Lazy values, exceptions of pure and other code, threads that hand over values, garbage collections.
import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.Map.Strict as Map
import System.Mem (performGC)

step :: Int -> Int -> Int
step total value = (total * 31 + value) `mod` 1000000007

primes :: [Int]
primes = sieve [2 ..] where sieve (p : rest) = p : sieve [n | n <- rest, n `mod` p /= 0]

caught :: Int -> IO Int
caught n = evaluate (100 `div` (n `mod` 3)) `catch` \error -> return (length (show (error :: ArithException)))

main :: IO ()
main = do
  values <- forM [1 .. 20] caught
  box <- newEmptyMVar
  forM_ [1 .. 5] $ \n -> forkIO (putMVar box $! sum [1 .. n * 100])
  sums <- replicateM 5 (takeMVar box)
  performGC
  let counts = Map.fromListWith (+) [(n `mod` 17, n) | n <- take 100 primes]
  failed <- try (evaluate (head (drop 5 (Map.elems counts) ++ error "none")))
  let last' = either (\error -> length (show (error :: SomeException))) id failed
  putStrLn ("lazy " ++ show (foldl step 17 (values ++ [sum sums, last'] ++ Map.elems counts)))
