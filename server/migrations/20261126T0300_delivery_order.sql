-- What is due is taken in the order of its time and id: without the id each taking sorted all that was open of a batch.
drop index delivery_open;
create index delivery_open on delivery (company_id, batch_id, due_at, id) where status in ('queued', 'leased');
