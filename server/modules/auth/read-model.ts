/** What other modules may join of accounts: the phone, nothing else. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const accountView = selectFrom('account').select(['id', 'mobile']).as('account')
