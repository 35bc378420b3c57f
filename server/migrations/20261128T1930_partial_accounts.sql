-- Whoever is put on a roster has no account yet: twenty thousand of them need no line in these indexes.
drop index member_account;
create index member_account on member (account_id) where account_id is not null;
drop index member_one_account;
create unique index member_one_account on member (company_id, account_id) where status <> 'left' and account_id is not null;
