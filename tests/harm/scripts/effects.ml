(* OCaml 5: effects move between stacks that the runtime makes and grows. *)
open Effect
open Effect.Deep

type _ Effect.t += Ask : int -> int Effect.t

let sum = ref 17
let mix value = sum := (!sum * 31 + value) mod 1_000_000_007

let rec nested depth = if depth = 0 then perform (Ask 1) else perform (Ask (nested (depth - 1))) + depth

let handled depth =
  match_with nested depth
    { retc = Fun.id
    ; exnc = (function Not_found -> 9 | error -> raise error)
    ; effc =
        (fun (type a) (asked : a Effect.t) ->
          match asked with
          | Ask n ->
            Some
              (fun (k : (a, _) continuation) ->
                mix n;
                Gc.minor ();
                if n mod 11 = 7 then discontinue k Not_found else continue k (n + 1))
          | _ -> None)
    }

let () =
  let rounds = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 1 in
  for _ = 1 to rounds do
    for depth = 0 to 40 do
      mix (handled depth)
    done;
    let domains = List.init 2 (fun n -> Domain.spawn (fun () -> List.fold_left ( + ) n (List.init 100 Fun.id))) in
    List.iter (fun domain -> mix (Domain.join domain)) domains;
    Gc.full_major ()
  done;
  Printf.printf "effects %d\n" !sum
