-- Owner: order. What a company buys. Prices are of the moment of the order, in fen.
create table pay_order (
  company_id uuid not null references company (id),
  id uuid not null,
  order_no text not null,
  product_id text not null,
  product_name text not null,
  count integer not null check (count between 1 and 1000),
  amount_fen bigint not null check (amount_fen > 0),
  pay_type text not null check (pay_type in ('alipay', 'wechat', 'transfer')),
  status text not null check (status in ('waiting', 'paid', 'closed', 'refunded')),
  -- What the provider shows to be scanned.
  code_url text,
  by_name text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  paid_at timestamptz,
  closed_at timestamptz,
  refunded_at timestamptz,
  primary key (company_id, id),
  unique (company_id, order_no)
);
create index pay_order_newest on pay_order (company_id, created_at desc, id desc);

-- Money that came in, once for each transaction of a provider. `excess`: nothing was bought for it, and it goes back.
create table payment (
  company_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  provider text not null check (provider in ('alipay', 'wechat', 'transfer')),
  transaction_id text not null,
  amount_fen bigint not null check (amount_fen > 0),
  state text not null check (state in ('credited', 'excess', 'refunded')),
  paid_at timestamptz not null,
  refunded_at timestamptz,
  primary key (company_id, id),
  unique (company_id, provider, transaction_id),
  foreign key (company_id, order_id) references pay_order (company_id, id)
);
create index payment_of on payment (company_id, order_id);

-- A notice names an order and no company.
create table order_door (
  order_no text primary key,
  company_id uuid not null
);
comment on table order_door is 'outside: a notice of a provider names the order, before the company is known';

create table invoice (
  company_id uuid not null references company (id),
  id uuid not null,
  kind text not null check (kind in ('normal', 'special')),
  status text not null check (status in ('waiting', 'issued', 'reversed')),
  title text not null,
  tax_no text not null,
  email text not null,
  amount_fen bigint not null check (amount_fen > 0),
  file_id uuid,
  created_at timestamptz not null,
  issued_at timestamptz,
  primary key (company_id, id)
);
create table invoice_order (
  company_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  order_id uuid not null,
  primary key (company_id, id),
  -- Nothing is invoiced twice.
  unique (company_id, order_id),
  foreign key (company_id, invoice_id) references invoice (company_id, id) on delete cascade,
  foreign key (company_id, order_id) references pay_order (company_id, id)
);
create index invoice_order_of on invoice_order (company_id, invoice_id);

do $$
declare
  t text;
begin
  foreach t in array array['pay_order', 'payment', 'invoice', 'invoice_order'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
