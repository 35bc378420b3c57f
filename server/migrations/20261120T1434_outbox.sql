-- Owner: runtime. The demo's outside world: what SMS gateways and chat platforms would have received. It takes every message it is
-- handed and never drops a repeated one, so that a message sent twice shows as two.
create table outbox (
  id uuid primary key,
  delivery_id uuid,
  channel text not null,
  mobile text not null default '',
  name text not null default '',
  text text not null,
  link text not null default '',
  at timestamptz not null default now()
);
create index outbox_delivery on outbox (delivery_id);
create index outbox_at on outbox (at);
comment on table outbox is 'outside: stands for the world beyond this installation; used in demo mode only';
