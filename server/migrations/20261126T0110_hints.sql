-- Owner: role. Hints that this administrator has put away; each is shown until then.
alter table admin add column hints_closed text[] not null default '{}';
