-- Owner: runtime. Tokens of applications on chat platforms, sealed with the installation's key and shared by all servers; `key` is made of ids and hashes of secrets. What is
-- lost here is asked for again.
create table platform_token (
  key text not null primary key,
  sealed bytea,
  -- Who is asking the platform for a new one, and how long the others wait for him.
  asking uuid,
  asking_until timestamptz not null default '-infinity'
);
comment on table platform_token is 'outside: tokens of applications, shared by all servers';
