/** What other modules may join of accounts: the phone, nothing else. */
import { type Selectable, sql } from 'kysely'
import type { Account } from '../../database/tables.ts'

export const accountView = sql<Pick<Selectable<Account>, 'id' | 'mobile'>>`account`.as('account')
