/** The operator area: its handlers. */

import * as contract from '../../contract/operator/billing.ts'
import * as ops from '../../contract/operator/operators.ts'
import { bindHandlers, defineHandler, fail, type Handler } from '../../http/handler.ts'
import type { DiskGuard } from '../../http/limits/disk-guard.ts'
import type { OperatorDeps } from '../../http/operators.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { confirmSending, getSendingPause } from '../../jobs/sending-pause.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { getSignInLink } from '../auth/index.ts'
import { listStatements } from '../billing/operations/index.ts'
import { companyView } from '../company/read-model.ts'
import {
  confirmTransfer,
  getCompanyList,
  getOpsInvoiceList,
  getOpsOrderList,
  grantEdition,
  grantSms,
  issueInvoice,
  refundOrder,
  returnInvoice,
  reverseInvoice,
} from './billing.ts'
import { createCompanyForOperator } from './create-company.ts'
import { getOpsNews, getPriceList, publishNews, setPrice, withdrawNews } from './publish.ts'
import {
  createSignInHandlers,
  deactivateOperatorHandler,
  getOperatorList,
  getOperatorLog,
  inviteOperatorHandler,
  type PasswordService,
  signOutOperator,
} from './sign-in.ts'

type OperatorModuleDeps = OperatorDeps & {
  readonly jobs: JobQueue
  readonly diskGuard: DiskGuard
  readonly passwords: PasswordService
}
const listedDays = 14

export function createOperatorModule({ jobs, diskGuard, passwords, ...operatorDeps }: OperatorModuleDeps): Handler[] {
  const started_at = new Date(Date.now() - process.uptime() * 1000)
  const getOpsHealth = defineHandler(contract.getOpsHealth, { kind: 'operator' }, async ({ db, now }) => {
    const { full, free_mb } = await diskGuard.check()
    const { companies } = await db
      .selectFrom(companyView)
      .select(({ fn }) => fn.countAll<number>().as('companies'))
      .executeTakeFirstOrThrow()
    const rows = await listStatements(db, listedDays * 2)
    const pause = await getSendingPause(db)
    return {
      now: toIsoTimestamp(now),
      started_at: toIsoTimestamp(started_at),
      memory_mb: Math.round(process.memoryUsage.rss() / 1_048_576),
      disk_free_mb: free_mb,
      disk_state: full ? 'full' : 'ok',
      paused_since: pause && !pause.confirmed_at ? toIsoTimestamp(pause.restored_at) : null,
      companies,
      queue: await jobs.getQueueStats(db),
      statements: rows.map(({ differences, ...row }) => ({
        ...row,
        differences: Array.isArray(differences) ? differences.length : 0,
      })),
    }
  })
  const createCompany = defineHandler(contract.createCompany, { kind: 'operator' }, async (ctx, input) => {
    const { company_id, isNew, link } = await createCompanyForOperator(
      (work) => work(ctx.db),
      ctx.inCompany,
      operatorDeps.secrets,
      {
        ...input,
        hasTrial: ctx.billing,
        call: contract.createCompany.route,
      },
    )
    ctx.addAuditDetails({ company_id })
    return {
      company_id,
      is_new: isNew,
      link: link && { url: getSignInLink(ctx.origin, link.token), expires_at: toIsoTimestamp(link.expires_at) },
    }
  })
  const resumeSending = defineHandler(contract.resumeSending, { kind: 'operator' }, async ({ db, now }) => {
    if (!(await confirmSending(db, now))) throw fail('not_found', '发送没有暂停，请刷新后查看')
    return {}
  })
  return [
    ...bindHandlers(ops, {
      ...createSignInHandlers(operatorDeps, passwords),
      signOutOperator,
      getOperatorList,
      inviteOperator: inviteOperatorHandler,
      deactivateOperator: deactivateOperatorHandler,
      getOperatorLog,
    }),
    ...bindHandlers(contract, {
      getCompanyList,
      createCompany,
      grantSms,
      grantEdition,
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
      resumeSending,
    }),
  ]
}
