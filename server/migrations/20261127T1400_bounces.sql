-- Owner: company. Where the bounces of a company's mail come back to (IMAP, with the user and password of the mailbox), and how far it was looked through.
alter table company_mail
  add column inbox_host text,
  add column inbox_port integer check (inbox_port between 1 and 65535),
  add column inbox_security text check (inbox_security in ('tls', 'starttls', 'none')),
  -- The server's own count: it begins anew with another validity.
  add column inbox_validity text,
  add column inbox_uid bigint,
  -- When it was last looked into, and why nothing could be read; null: it could.
  add column inbox_at timestamptz,
  add column inbox_fault text,
  -- When mail last left that may come back.
  add column mailed_at timestamptz,
  add constraint company_mail_inbox check ((inbox_host is null) = (inbox_port is null) and (inbox_host is null) = (inbox_security is null));
