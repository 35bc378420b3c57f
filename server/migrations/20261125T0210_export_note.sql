-- Owner: slip. What is to be said of a file that was made, beside the file: that it has no time stamp, and why. Names nobody and no amount.
alter table export_job add column note text;
