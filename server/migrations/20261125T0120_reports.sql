-- Owner: slip. When a gateway reported that a phone got the message; null: it has not said so, or said that it did not.
alter table delivery add column delivered_at timestamptz;
-- Owner: runtime. References of messages that were taken, for some days: a report names one of them before the company is known.
create table report_door (
  ref text primary key,
  company_id uuid not null,
  message_id uuid not null,
  at timestamptz not null
);
create index report_door_at on report_door (at);
comment on table report_door is 'outside: a gateway''s report names the message, before the company is known';
