-- Owner: slip. What says which slips of a batch are paid, and in which version, is read from the index alone.
drop index salary_counted;
create index salary_counted on salary (company_id, batch_id, row_no, member_id, version, status) include (id);

-- Owner: chart. Sealed is as if by chance: trying to make it smaller only takes time.
alter table chart_figures alter column figures set storage external;
