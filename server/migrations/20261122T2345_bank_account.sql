-- The number of a person's bank card is sealed in `private`; by this keyed hash a wage sheet's column is compared with it.
alter table member add column bank_account_index bytea;
