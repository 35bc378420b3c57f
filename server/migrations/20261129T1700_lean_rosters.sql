-- Owner: member. Who stands where is told by the two themselves: nobody ever asked for a place by an id of its own. And nobody asks for people by
-- their names alone (what is typed into a search box stands anywhere in a name), so no index keeps their order.
alter table member_department
  drop column id,
  drop constraint member_department_company_id_member_id_department_id_key,
  add primary key (company_id, member_id, department_id);
drop index member_name;
-- Whether a department is there is looked up for each place in it. Of tables that have just grown the planner thinks that there is a row or two, and
-- takes any index that begins with the company: then it goes through all departments, twenty thousand times.
drop index department_parent;
create index department_parent on department (parent_id, company_id);
