-- Owner: sheet. Keys of the cells that somebody has corrected on the page of problems: they go into the sheet that is downloaded, and are told
-- from what the file says.
alter table sheet_row add column edited text[] not null default '{}';
