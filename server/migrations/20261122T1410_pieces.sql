-- Owner: slip. What a message costs of the account: gateways charge a long SMS as several. What was sent before was booked as one.
alter table delivery add column pieces smallint not null default 1 check (pieces > 0);
