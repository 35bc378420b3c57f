/** Written by `npm run tables` from the migrated database. Do not edit. */
export interface Tables {}
