-- Owner: runtime. How fast each line of a carrier may be used, and until when it asked to be left alone: one row for the line itself (asker ''), one
-- for each company that sends by it. Shared by all servers; what is lost here costs a little time and nothing else.
create table carrier_pace (
  line text not null,
  asker text not null default '',
  -- When what was granted will have gone at the documented pace: milliseconds since 1970, finer than a timestamp of ours.
  due_ms double precision not null default 0,
  -- So long this company is counted among those who share the line.
  asks_until timestamptz not null default '-infinity',
  -- Of the line: so long nothing is handed over.
  rests_until timestamptz not null default '-infinity',
  primary key (line, asker)
);
comment on table carrier_pace is 'outside: lines of carriers, shared by companies';
