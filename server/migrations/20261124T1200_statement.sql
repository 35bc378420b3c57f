-- Owner: company. A provider's own statement of a day, laid beside what stands here. Of no company: it is for whoever runs the server.
create table pay_statement (
  provider text not null check (provider in ('alipay', 'wechat')),
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  -- Lines of money in and of money back, with their sums in fen.
  paid_count integer not null,
  paid_fen bigint not null,
  refunded_count integer not null,
  refunded_fen bigint not null,
  -- Payments that only the statement knew, and that were settled by it.
  found_count integer not null,
  -- [{kind, order_no, transaction_id, ours_fen, theirs_fen}]: what differs still.
  differences jsonb not null,
  compared_at timestamptz not null,
  primary key (provider, day)
);
comment on table pay_statement is 'outside: what providers say of a day, of all companies';
