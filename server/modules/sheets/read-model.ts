/** What other modules may join of pay runs and their batches; names and recognition results stay sealed. */
import { expressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'

const { selectFrom } = expressionBuilder<Tables, never>()

export const batchView = selectFrom('batch')
  .select(['company_id', 'id', 'owner_id', 'title_id', 'file_id', 'file_name', 'status', 'people', 'rules', 'send_options'])
  .select(['recognition', 'layout', 'scope_all', 'scope_ids', 'totals', 'created_at', 'updated_at', 'scheduled_at', 'sent_at'])
  .select(['undo_until', 'withdrawn_at'])
  .as('batch')

export const titleView = selectFrom('title').select(['company_id', 'id', 'owner_id', 'name', 'month', 'kind']).as('title')
