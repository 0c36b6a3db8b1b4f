# shellcheck shell=bash disable=SC2154 # lib.sh sets them
#
# Requests to servers that lib.sh has started: a bit of everything, with the same answers each time.
# Source this file after lib.sh.

use_redis() {
	redis-cli -s "$redis_socket" <<'END'
FLUSHALL
SET text "some text"
APPEND text " and more"
GETRANGE text 2 9
MSET a 1 b 2 c 3
INCRBY a 41
RPUSH list 5 3 9 1 7
SORT list DESC
LINSERT list BEFORE 9 4
LRANGE list 0 -1
SADD one a b c d
SADD two c d e
SINTERCARD 2 one two
ZADD scores 1.5 a 2.5 b 0.5 c
ZRANGEBYSCORE scores 1 3 WITHSCORES
HSET hash f1 v1 f2 v2
HGETALL hash
SETBIT bits 7 1
BITCOUNT bits
PFADD log a b c a
PFCOUNT log
GEOADD places 13.36 38.11 Palermo 15.08 37.50 Catania
GEODIST places Palermo Catania
EVAL "local t = {} for i = 1, 50 do t[i] = redis.call('incr', 'n') * 2 end return t[50]" 0
EVAL "error('failed')" 0
MULTI
SET x 1
INCR text
EXEC
XADD stream 1-1 field value
XRANGE stream - +
OBJECT ENCODING list
DEBUG SLEEP 0
NOSUCH command
DBSIZE
END
	for n in {1..100}; do echo "SET key:$n $n"; done | redis-cli -s "$redis_socket" | sort | uniq -c
}

use_mariadb() {
	mariadb --no-defaults -S "$mariadb_socket" -f --batch <<'END'
drop database if exists harm; create database harm; use harm;
create table words (id int primary key auto_increment, word varchar(40), length double, key (word)) engine=innodb;
insert into words (word, length) select concat(hex(seq * 7919), '-', seq), seq / 7 from seq_1_to_200;
select count(*), sum(length), max(word) from words where word like '%a%';
select id, row_number() over (order by word) from words where id % 50 = 0;
start transaction; update words set word = upper(word) where id < 20; delete from words where id > 150; rollback;
select count(*) from words; select nothing from words; insert into words (id) values (1);
prepare p from 'select ? + ?'; set @a = 3; execute p using @a, @a;
delimiter //
create procedure walk() begin declare n int default 0; declare exit handler for sqlexception select 'failed', n;
  while n < 20 do set n = n + 1; end while; signal sqlstate '45000'; end //
delimiter ;
call walk();
with recursive t(n) as (select 1 union all select n + 1 from t where n < 30) select sum(n) from t;
select json_value('{"a": [1, 2]}', '$.a[1]'), md5('text'), round(2.567, 1), date_add('2001-09-09', interval 1 month);
select a.id from words a join words b on a.id = b.id * 2 group by a.id having count(*) > 0 order by 1 desc limit 3;
alter table words add column more int default 7; check table words; drop database harm;
END
}

use_postgres() {
	"$postgres_bin/psql" -qAtX -h "$postgres_dir" -U postgres <<'END'
drop table if exists words;
create table words (id serial primary key, word text, length float8);
insert into words (word, length) select to_hex(n * 7919), n / 7.0 from generate_series(1, 300) n;
create index by_word on words (word);
select count(*), sum(length)::numeric(10, 3), max(word) from words where word like '%a%';
select id, row_number() over (order by word) from words where id % 50 = 0;
begin; update words set word = upper(word) where id < 20; delete from words where id > 150; rollback;
select nothing from words;
select 1 / 0;
do $$ begin for i in 1..20 loop begin perform 1 / (i % 3); exception when division_by_zero then null; end; end loop; end $$;
prepare p (int) as select $1 + 1; execute p(3);
with recursive t(n) as (select 1 union all select n + 1 from t where n < 30) select sum(n) from t;
select jsonb_path_query('{"a": [1, 2]}', '$.a[*]'), md5('text'), regexp_replace('a1b22', '\d+', 'x', 'g');
select a.id from words a join words b on a.id = b.id * 2 group by a.id having count(*) > 0 order by 1 desc limit 3;
set enable_hashjoin = off; select count(*) from words a, words b where a.word = b.word;
copy (select * from words limit 3) to stdout;
vacuum analyze words; drop table words;
END
}
