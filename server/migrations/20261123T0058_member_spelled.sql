-- Owner: member. The name as it may be typed with Latin letters, made when it is written (member/file/spelled.ts); null: not yet, a job does it.
alter table member add column spelled text;
create index member_not_spelled on member (company_id) where spelled is null;
