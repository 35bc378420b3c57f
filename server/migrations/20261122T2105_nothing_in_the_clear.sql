-- What stood in the clear was sealed by the first start after 20261122T0720; no installation from before is in use.
drop table sealed_since;
