/** The area of whoever runs the server: what answers its calls. */
import * as ops from '../../../contract/corp/ops.ts'
import * as contract from '../../../contract/corp/ops-shop.ts'
import { isoOf } from '../../../runtime/clock.ts'
import type { OperatorDoor } from '../../../runtime/data/operators.ts'
import { type Handler, handleOps, implement } from '../../../runtime/handle.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import type { Room } from '../../../runtime/load/room.ts'
import { getOpsNews, getPriceList, publishNews, setPrice, withdrawNews } from './publish.ts'
import {
  confirmTransfer,
  getCompanyList,
  getOpsInvoiceList,
  getOpsOrderList,
  issueInvoice,
  refundOrder,
  returnInvoice,
  reverseInvoice,
} from './shop.ts'
import {
  endAnother,
  getOperatorList,
  getOperatorLog,
  inviteAnother,
  type Passwords,
  signInHandlers,
  signOutOperator,
} from './sign-in.ts'

type OpsParts = OperatorDoor & { readonly jobs: Jobs; readonly room: Room; readonly passwords: Passwords }
const shown_days = 14

export function openOps({ jobs, room, passwords, ...door }: OpsParts): Handler[] {
  const started_at = new Date(Date.now() - process.uptime() * 1000)
  const getOpsHealth = handleOps(contract.getOpsHealth, async ({ db, now }) => {
    const { full, free_mb } = await room.look()
    const { companies } = await db
      .selectFrom('company')
      .select(({ fn }) => fn.countAll<number>().as('companies'))
      .executeTakeFirstOrThrow()
    const rows = await db
      .selectFrom('pay_statement')
      .select(['provider', 'day', 'paid_fen', 'refunded_fen', 'found_count as found', 'differences'])
      .orderBy('day', 'desc')
      .orderBy('provider')
      .limit(shown_days * 2)
      .execute()
    return {
      now: isoOf(now),
      started_at: isoOf(started_at),
      memory_mb: Math.round(process.memoryUsage.rss() / 1_048_576),
      disk_free_mb: free_mb,
      disk_state: full ? 'full' : 'ok',
      companies,
      queue: await jobs.look(db),
      statements: rows.map(({ differences, ...row }) => ({
        ...row,
        differences: Array.isArray(differences) ? differences.length : 0,
      })),
    }
  })
  return [
    ...implement(ops, {
      ...signInHandlers(door, passwords),
      signOutOperator,
      getOperatorList,
      inviteOperator: inviteAnother,
      endOperator: endAnother,
      getOperatorLog,
    }),
    ...implement(contract, {
      getCompanyList,
      getOpsOrderList,
      confirmTransfer,
      refundOrder,
      getOpsInvoiceList,
      issueInvoice,
      returnInvoice,
      reverseInvoice,
      getPriceList,
      setPrice,
      getOpsNews,
      publishNews,
      withdrawNews,
      getOpsHealth,
    }),
  ]
}
