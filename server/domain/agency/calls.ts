/** What answers the calls of agencies; news and to-dos, which any administrator reads. Reads agency_link. */
import * as contract from '../../contract/agency.ts'
import { isoOf } from '../../runtime/clock.ts'
import { handle, implement } from '../../runtime/handle.ts'
import { getNewsDetail, getNewsList } from './news.ts'
import { getTodoList } from './todos.ts'

export const getCorpList = handle(contract.getCorpList, async ({ db, company_id }) => {
  const rows = await db
    .selectFrom('agency_link')
    .select(['served_company_id', 'served_name', 'created_at'])
    .where('company_id', '=', company_id)
    .orderBy('served_name')
    .orderBy('id')
    .execute()
  return { list: rows.map((row) => ({ corp_id: row.served_company_id, name: row.served_name, since: isoOf(row.created_at) })) }
})

export const agencyHandlers = implement(contract, { getCorpList, getNewsList, getNewsDetail, getTodoList })
