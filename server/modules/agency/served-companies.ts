/**
 * Serving other companies: requesting a service, entering and leaving. Two companies are involved, each in a
 * transaction of its own; the served company, which holds the user's seat, decides what is permitted. Writes
 * agency_link.
 */

import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/agency/agency.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { type CurrentUser, defineHandler, type ExternalContext, fail } from '../../http/handler.ts'
import { loadCurrentUser } from '../../http/sessions.ts'
import { toIsoTimestamp, toShanghaiDate } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import {
  activateSeat,
  createSeat,
  endAgencyService as end,
  findAgencyService,
  findSeat,
  getAccountPowers,
  listAgencyServices,
  listSystemAdminIds,
  requestAgencyService,
} from '../access/index.ts'
import { createApproval } from '../approvals/index.ts'
import { findAccountByPhone, listAvailableCompanies, switchSessionCompany } from '../auth/index.ts'
import { getCompanyName, getMonthlySummary } from '../company/index.ts'
import { createAgencyMember } from '../directory/index.ts'
import { notify } from '../notifications/index.ts'
import { findOverdue, getServiceStatus } from './rules/overdue.ts'

const requestSubmittedMessage = '申请已提交，对方的企业管理员同意后，这里会显示「服务中」'
const formatAgencyMemberName = ({ name, company_name }: Pick<CurrentUser, 'name' | 'company_name'>): string =>
  `${name}（${company_name}）`.slice(0, 60)

export function requireSignedInUser(ctx: ExternalContext): CurrentUser {
  if (!ctx.me) throw fail('signed_out')
  return ctx.me
}

export const applyJoin = defineHandler(contract.applyJoin, { kind: 'external' }, async (ctx, { name, phone }) => {
  const me = requireSignedInUser(ctx)
  const served = await findRequestedCompany(ctx, { name, phone, except: me.company_id })
  // The request is recorded whether or not such a company exists, so that nobody learns who is a customer.
  await ctx.mutate(async ({ db, company_id, now }) => {
    const existing = await db
      .selectFrom('agency_link')
      .select(['id', 'created_at'])
      .where('company_id', '=', company_id)
      .where((eb) =>
        served ? eb.or([eb('served_company_id', '=', served), eb('served_name', '=', name)]) : eb('served_name', '=', name),
      )
      .orderBy('id')
      .forUpdate()
      .execute()
    const values = { served_company_id: served, served_name: name, created_at: now }
    const [first] = existing
    if (first)
      await db.updateTable('agency_link').set(values).where('company_id', '=', company_id).where('id', '=', first.id).execute()
    else
      await db
        .insertInto('agency_link')
        .values({ company_id, id: newId(), ...values })
        .execute()
  })
  if (served) await requestServiceFrom(ctx, me, served)
  return { message: requestSubmittedMessage }
})

/** Finds the company with exactly this name that has an enterprise administrator who signs in with this phone. */
async function findRequestedCompany(
  ctx: ExternalContext,
  { name, phone, except }: { name: string; phone: string; except: string },
) {
  const account = await findAccountByPhone(ctx.database, phone)
  if (!account) return null
  for (const { corp_id, name: companyName, corp_role, as } of await listAvailableCompanies(ctx.database, account.id, ctx.now))
    if (companyName === name && corp_role === 10 && corp_id !== except && as.includes('admin')) {
      const power = await inServedCompany(ctx, corp_id, (companyTx) => getAccountPowers(companyTx, account.id))
      if (hasPower(power, ['1'])) return corp_id
    }
  return null
}

/** Runs a function in a transaction of the served company. */
export const inServedCompany = <T>(
  { database, now }: ExternalContext,
  company_id: string,
  run: (ctx: CompanyTimeTx) => Promise<T>,
): Promise<T> => database.inCompany(company_id, (db) => run({ db, company_id, now }))

/** Creates the request among the applications of the served company's administrators. */
async function requestServiceFrom(ctx: ExternalContext, me: CurrentUser, served: string): Promise<void> {
  await inServedCompany(ctx, served, async (companyTx) => {
    if (!(await requestAgencyService(companyTx, { agency_id: me.company_id, agency_name: me.company_name }))) return
    const seatOwner = { agency_id: me.company_id, account_id: me.account_id }
    const seat = (await findSeat(companyTx, seatOwner)) ?? {
      id: await createSeat(companyTx, {
        ...seatOwner,
        member_id: await createAgencyMember(companyTx, formatAgencyMemberName(me)),
      }),
    }
    const approval = { kind: 'join_agency', applicant_id: seat.id, member_id: null, account_id: null } as const
    await createApproval(companyTx, approval)
    const vault = await ctx.secrets.vault(companyTx.db, served)
    const text = `代理企业「${me.company_name}」的 ${me.name} 申请为贵公司代理工资条服务，请审批`
    for (const adminId of await listSystemAdminIds(companyTx, '1'))
      await notify({ ...companyTx, vault }, adminId, { kind: 'approval', text, batch_id: null })
  })
  ctx.addAuditDetails({ served_company_id: served })
}

export const enterCorp = defineHandler(contract.enterCorp, { kind: 'external' }, async (ctx, { corp_id }) => {
  const me = requireSignedInUser(ctx)
  const link = await ctx.inTransaction(({ db, company_id }) =>
    db
      .selectFrom('agency_link')
      .select('id')
      .where('company_id', '=', company_id)
      .where('served_company_id', '=', corp_id)
      .executeTakeFirst(),
  )
  if (!link) throw fail('not_found', '没有找到这家企业，请刷新列表')
  await inServedCompany(ctx, corp_id, (companyTx) => ensureSeat(companyTx, me))
  ctx.addAuditDetails({ served_company_id: corp_id })
  return {
    token: await ctx.mutate((tx) => switchSessionCompany(ctx, tx.db, { me, company_id: corp_id, agency_id: me.company_id })),
  }
})

/** Ensures a seat in the served company while the service is active; creates it on first use. */
export async function ensureSeat(companyTx: CompanyTimeTx, me: CurrentUser): Promise<void> {
  const { company_id: agency_id, account_id } = me
  const service = await findAgencyService(companyTx, agency_id)
  const state = service && getServiceStatus(service.status, service.until, toShanghaiDate(companyTx.now))
  if (!service?.until || state !== 'active')
    throw fail('wrong_state', state === 'waiting' ? '对方还没有同意，请等待审批' : '对方没有授权，或授权已到期，可以重新申请', {
      status: state,
    })
  const seat = await findSeat(companyTx, { agency_id, account_id })
  if (seat && seat.power.length === 0)
    throw fail('wrong_state', '对方已取消您个人的权限，请联系对方的企业管理员', { status: 'taken' })
  if (seat) return
  const member_id = await createAgencyMember(companyTx, formatAgencyMemberName(me))
  const id = await createSeat(companyTx, { agency_id, account_id, member_id })
  await activateSeat(companyTx, { id, member_id, account_id }, { scope: service.scope, until: service.until })
}

export const leaveCorp = defineHandler(contract.leaveCorp, { kind: 'external' }, async (ctx) => {
  const me = requireSignedInUser(ctx)
  const { agency } = me
  if (!agency) throw fail('wrong_state', '您就在自己的企业里')
  return { token: await ctx.mutate((tx) => switchSessionCompany(ctx, tx.db, { me, company_id: agency.id, agency_id: null })) }
})

export const getServiceList = defineHandler(contract.getServiceList, async (ctx) => {
  const today = toShanghaiDate(ctx.now)
  return {
    list: (await listAgencyServices(ctx)).map(({ id, agency_name, status, until, scope_labels: scopeLabel, since }) => ({
      service_id: id,
      agency: agency_name,
      status: getServiceStatus(status, until, today),
      scope: scopeLabel,
      since,
      until,
    })),
  }
})

export const endService = defineHandler(contract.endService, { locks: 'access' }, async (ctx, { service_id }) => {
  const done = await end(ctx, service_id)
  if (!done) throw fail('not_found', '没有找到这项代理服务，可能已经结束，请刷新')
  ctx.addAuditDetails({ ended: done.ended })
  return { ended: done.ended }
})

export const getCorpList = defineHandler(contract.getCorpList, { kind: 'external' }, async (ctx, { name, page, pagesize }) => {
  const me = requireSignedInUser(ctx)
  const { rows, total } = await ctx.inTransaction(async ({ db, company_id }) => {
    let links = db.selectFrom('agency_link').where('company_id', '=', company_id)
    if (name) links = links.where('served_name', 'like', `%${name.replace(/[\\%_]/g, '\\$&')}%`)
    const { count } = await links.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    const pageRows = await links
      .select(['id', 'served_company_id', 'served_name', 'created_at'])
      .orderBy('served_name')
      .orderBy('id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    return { rows: pageRows, total: count }
  })
  const list = []
  // The companies are loaded sequentially: one page, each company in its own transaction.
  for (const { id, served_company_id, served_name, created_at } of rows) {
    const summary = served_company_id && (await loadServedCompany(ctx, me, served_company_id))
    list.push({
      link_id: id,
      since: toIsoTimestamp(created_at),
      name: served_name,
      ...(summary || { ...emptySummary, status: 'waiting' as const }),
    })
  }
  return { list, page: { page, pagesize, total } }
})

const withoutUnviewed = ({ unviewed: _unviewed, ...glance }: Awaited<ReturnType<typeof getMonthlySummary>>) => glance
const emptySummary = { corp_id: null, until: null, monthly_summary: null, overdue: [] }

/** Loads a served company as the seat of the agency sees it; for a pending request only the typed name is known. */
function loadServedCompany(ctx: ExternalContext, me: CurrentUser, served: string) {
  return inServedCompany(ctx, served, async (companyTx) => {
    const { db, company_id, now } = companyTx
    const service = await findAgencyService(companyTx, me.company_id)
    if (!service || service.status === 'waiting') return null
    if (service.status === 'refused') return { ...emptySummary, status: 'refused' as const }
    const today = toShanghaiDate(now)
    const status = getServiceStatus(service.status, service.until, today)
    const seat =
      status === 'active' && (await loadCurrentUser(db, { ...toSessionRef(me), company_id, agency_id: me.company_id }, now))
    const summary = seat ? await getMonthlySummary({ ...companyTx, currentUser: seat }) : null
    return {
      corp_id: company_id,
      name: await getCompanyName(companyTx),
      status,
      until: service.until,
      monthly_summary: summary && withoutUnviewed(summary),
      overdue: findOverdue(summary, status === 'active' ? service.until : null, today),
    }
  })
}

export const toSessionRef = ({ session_id, account_id, mobile }: CurrentUser) => ({
  id: session_id,
  account_id,
  mobile,
  view_until: null,
  verified_at: null,
})
