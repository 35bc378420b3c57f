/** What other modules may join of pay runs and their batches; names and recognition results stay sealed. */
import { type Selectable, sql } from 'kysely'
import type { Batch, Title } from '../../database/tables.ts'

export const batchView = sql<
  Pick<
    Selectable<Batch>,
    | 'company_id'
    | 'id'
    | 'owner_id'
    | 'title_id'
    | 'file_id'
    | 'file_name'
    | 'status'
    | 'people'
    | 'rules'
    | 'send_options'
    | 'recognition'
    | 'layout'
    | 'scope_all'
    | 'scope_ids'
    | 'totals'
    | 'created_at'
    | 'updated_at'
    | 'scheduled_at'
    | 'sent_at'
    | 'undo_until'
    | 'withdrawn_at'
  >
>`batch`.as('batch')

export const titleView = sql<Pick<Selectable<Title>, 'company_id' | 'id' | 'owner_id' | 'name' | 'month' | 'kind'>>`title`.as(
  'title',
)
