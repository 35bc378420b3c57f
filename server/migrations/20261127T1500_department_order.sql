-- Owner: binding. What the platform said of a department's place among its siblings (smaller first), and when: where only a call for one department tells, a
-- few are asked after at a time, the longest ago first.
alter table platform_department
  add column sort double precision,
  add column sort_at timestamptz;
