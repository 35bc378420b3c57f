-- Where an operator signed in: SHA-256 of the browser's cookie, as in `device`, and the address. Later sign-ins in this
-- browser or from this network have attempts of their own. Null for sessions from before.
alter table operator_session add column browser_hash bytea, add column address text;
create index operator_session_latest on operator_session (operator_id, created_at desc);
