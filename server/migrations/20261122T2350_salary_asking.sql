-- owner: slip. Slips with an open question are few, and are counted on every look at the home page.
create index salary_asking on salary (company_id, batch_id) where has_feedback;
