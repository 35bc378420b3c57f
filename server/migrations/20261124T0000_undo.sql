-- Until then a batch whose sending was confirmed only waits, and is taken back at no cost. Null where somebody chose the time.
alter table batch add column undo_until timestamptz;
