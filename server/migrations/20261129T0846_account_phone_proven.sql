-- An operator names the phone of the first administrator of a company; nobody has proven it by a code yet. False until
-- then: a password that was set by the operator's link does not prove who owns the phone.
alter table account add column phone_proven boolean not null default true;
