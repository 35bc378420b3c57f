-- Owner: company. Money of a credited order that goes back, by the hand of whoever runs the server: in part, several times, or all of it.
create table refund (
  company_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount_fen bigint not null check (amount_fen > 0),
  -- Pieces that were taken back for it.
  pieces integer not null check (pieces >= 0),
  reason text not null,
  -- Of a transfer: the bank's number.
  reference text not null,
  by_name text not null,
  asked_at timestamptz not null,
  done_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, order_id) references pay_order (company_id, id),
  foreign key (company_id, payment_id) references payment (company_id, id)
);
create index refund_of on refund (company_id, order_id);
alter table refund enable row level security;
alter table refund force row level security;
create policy one_company on refund using (company_id = nullif(current_setting('app.company', true), '')::uuid);
create policy operator on refund for select using (current_setting('app.operator', true) = 'yes');

alter table pay_order
  add column refunded_fen bigint not null default 0,
  add constraint pay_order_refunded check (refunded_fen between 0 and amount_fen),
  -- Of a change of edition: from which product, and the end that both have.
  add column change_from text,
  add column change_until timestamptz;

-- An invoice: applied for, issued with its number and file, returned with a reason, to be reversed because money went back, reversed by a red one.
alter table invoice drop constraint invoice_status_check;
alter table invoice
  add constraint invoice_status_check check (status in ('waiting', 'issued', 'returned', 'reversing', 'reversed')),
  add column number text not null default '',
  add column red_number text not null default '',
  add column reason text not null default '',
  add column settled_at timestamptz;
alter table invoice drop column file_id;
-- Nothing is invoiced twice; what was returned or reversed may be applied for again.
alter table invoice_order add column live boolean not null default true;
alter table invoice_order drop constraint invoice_order_company_id_order_id_key;
create unique index invoice_order_once on invoice_order (company_id, order_id) where live;

-- The file of an invoice, sealed with the installation's key: operators, who have no company's key, put it here.
create table invoice_file (
  company_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  red boolean not null,
  name text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, invoice_id, red),
  foreign key (company_id, invoice_id) references invoice (company_id, id)
);
alter table invoice_file enable row level security;
alter table invoice_file force row level security;
create policy one_company on invoice_file using (company_id = nullif(current_setting('app.company', true), '')::uuid);
