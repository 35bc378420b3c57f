-- Owner: invite. When the page of this invite was first opened: whoever was reached and has not finished is helped otherwise than whoever was not.
alter table invite add column opened_at timestamptz;
create index invite_of on invite (company_id, member_id, id);
