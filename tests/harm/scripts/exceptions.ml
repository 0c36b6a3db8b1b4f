(* Exceptions, deep recursion, and much for the garbage collector to look at; with OCaml 5 effects, too. *)
exception Found of int

let sum = ref 17
let mix value = sum := (!sum * 31 + value) mod 1_000_000_007

let rec dive depth = if depth = 0 then raise (Found depth) else 1 + dive (depth - 1)

let rec caught depth =
  try if depth = 0 then dive 5 else caught (depth - 1) + 1 with
  | Found n when depth mod 3 = 0 -> mix (n + depth); raise Not_found
  | Not_found when depth mod 3 = 1 -> mix depth; raise (Found depth)
  | Found n -> mix (n * 3); depth

let rec build n = if n = 0 then [] else (n * 7919 mod 101) :: build (n - 1)

module Names = Map.Make (String)

let names n =
  List.fold_left (fun map i -> Names.add (string_of_int (i * i mod 53)) i map) Names.empty (List.init n Fun.id)

let () =
  let rounds = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 1 in
  for _ = 1 to rounds do
    for depth = 0 to 12 do
      (try mix (caught depth) with Found n -> mix n | Not_found -> mix 5)
    done;
    mix (List.fold_left ( + ) 0 (List.sort compare (build 300)));
    Names.iter (fun name i -> mix (i + String.length name)) (names 100);
    Gc.full_major ();
    mix (String.length (String.concat "," (List.map string_of_int (build 50))));
    let table = Hashtbl.create 7 in
    List.iter (fun n -> Hashtbl.replace table (n mod 13) n) (build 100);
    mix (Hashtbl.fold (fun k v all -> all + (k * v)) table 0);
    Gc.compact ()
  done;
  Printf.printf "ocaml %d\n" !sum
