/**
 * Serving other companies: asking to, going in and coming out. Two companies are touched by it, each in a transaction of its own; what may be
 * done is decided by the served one, where the seat of whoever goes in stands. Writes agency_link.
 */
import * as contract from '../../contract/corp/agency.ts'
import { holds } from '../../contract/who.ts'
import { dayOf, isoOf } from '../../runtime/clock.ts'
import type { Tx } from '../../runtime/db.ts'
import { handle, handleOutside, handleRights, type Me, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { loadMe } from '../../runtime/request/sessions.ts'
import { accountOfPhone, companiesOf, openSessionIn } from '../account/index.ts'
import { takeDown } from '../approval/index.ts'
import { glanceOf, nameHere } from '../company/index.ts'
import { notify } from '../desk/index.ts'
import { outsider } from '../member/index.ts'
import {
  addSeat,
  askToServe,
  endService as end,
  headsOf,
  openSeat,
  powersOf,
  seatOf,
  serviceBy,
  services,
} from '../role/index.ts'
import { lateOf, stateOf } from './rules/late.ts'

const applied = '申请已提交，对方的企业管理员同意后，这里会显示「服务中」'
const calledHere = ({ name, company_name }: Pick<Me, 'name' | 'company_name'>): string =>
  `${name}（${company_name}）`.slice(0, 60)
type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

export function mine(ctx: OutsideCtx): Me {
  if (!ctx.me) throw refuse('signed_out')
  return ctx.me
}

export const applyJoin = handleOutside(contract.applyJoin, async (ctx, { name, phone }) => {
  const me = mine(ctx)
  const served = await companyMeant(ctx, { name, phone, except: me.company_id })
  // The wish stands here whether such a company is known or not, so that nobody learns who is a customer.
  await ctx.deed(async ({ db, company_id, now }) => {
    const before = await db
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
    const [first] = before
    if (first)
      await db.updateTable('agency_link').set(values).where('company_id', '=', company_id).where('id', '=', first.id).execute()
    else
      await db
        .insertInto('agency_link')
        .values({ company_id, id: newId(), ...values })
        .execute()
  })
  if (served) await askThere(ctx, me, served)
  return { message: applied }
})

/** The company of exactly this name, one of whose enterprise administrators signs in with this phone. */
async function companyMeant(ctx: OutsideCtx, { name, phone, except }: { name: string; phone: string; except: string }) {
  const account = await accountOfPhone(ctx.database, phone)
  if (!account) return null
  for (const { corp_id, name: called, corp_role, as } of await companiesOf(ctx.database, account.id, ctx.now))
    if (called === name && corp_role === 10 && corp_id !== except && as.includes('admin')) {
      const power = await there(ctx, corp_id, (here) => powersOf(here, account.id))
      if (holds(power, ['1'])) return corp_id
    }
  return null
}

/** In a transaction of the other company. */
export const there = <T>({ database, now }: OutsideCtx, company_id: string, work: (here: Here) => Promise<T>): Promise<T> =>
  database.inCompany(company_id, (db) => work({ db, company_id, now }))

/** Its administrators find the wish among their applications. */
async function askThere(ctx: OutsideCtx, me: Me, served: string): Promise<void> {
  await there(ctx, served, async (here) => {
    if (!(await askToServe(here, { agency_id: me.company_id, agency_name: me.company_name }))) return
    const sitter = { agency_id: me.company_id, account_id: me.account_id }
    const seat = (await seatOf(here, sitter)) ?? {
      id: await addSeat(here, { ...sitter, member_id: await outsider(here, calledHere(me)) }),
    }
    const seated = { kind: 'join_agency', applicant_id: seat.id, member_id: null, account_id: null } as const
    await takeDown(here, seated)
    const vault = await ctx.secrets.vault(here.db, served)
    const text = `代理企业「${me.company_name}」的 ${me.name} 申请为贵公司代理工资条服务，请审批`
    for (const head of await headsOf(here, '1'))
      await notify({ ...here, vault }, head, { kind: 'approval', text, batch_id: null })
  })
  ctx.about({ served_company_id: served })
}

export const enterCorp = handleOutside(contract.enterCorp, async (ctx, { corp_id }) => {
  const me = mine(ctx)
  const is_linked = await ctx.inTransaction(({ db, company_id }) =>
    db
      .selectFrom('agency_link')
      .select('id')
      .where('company_id', '=', company_id)
      .where('served_company_id', '=', corp_id)
      .executeTakeFirst(),
  )
  if (!is_linked) throw refuse('not_found', '没有找到这家企业，请刷新列表')
  await there(ctx, corp_id, (here) => sit(here, me))
  ctx.about({ served_company_id: corp_id })
  return {
    token: await ctx.deed((inside) => openSessionIn(ctx, inside.db, { me, company_id: corp_id, agency_id: me.company_id })),
  }
})

/** A seat there, if the service stands; the first time it is made. */
export async function sit(here: Here, me: Me): Promise<void> {
  const { company_id: agency_id, account_id } = me
  const service = await serviceBy(here, agency_id)
  const state = service && stateOf(service.status, service.until, dayOf(here.now))
  if (!service?.until || state !== 'active')
    throw refuse('wrong_state', state === 'waiting' ? '对方还没有同意，请等待审批' : '对方没有授权，或授权已到期，可以重新申请', {
      status: state,
    })
  const seat = await seatOf(here, { agency_id, account_id })
  if (seat && seat.power.length === 0)
    throw refuse('wrong_state', '对方已取消您个人的权限，请联系对方的企业管理员', { status: 'taken' })
  if (seat) return
  const member_id = await outsider(here, calledHere(me))
  const id = await addSeat(here, { agency_id, account_id, member_id })
  await openSeat(here, { id, member_id, account_id }, { scope: service.scope, until: service.until })
}

export const leaveCorp = handleOutside(contract.leaveCorp, async (ctx) => {
  const me = mine(ctx)
  const { agency } = me
  if (!agency) throw refuse('wrong_state', '您就在自己的企业里')
  return { token: await ctx.deed((inside) => openSessionIn(ctx, inside.db, { me, company_id: agency.id, agency_id: null })) }
})

export const getServiceList = handle(contract.getServiceList, async (ctx) => {
  const today = dayOf(ctx.now)
  return {
    list: (await services(ctx)).map(({ id, agency_name, status, until, scope_words, since }) => ({
      service_id: id,
      agency: agency_name,
      status: stateOf(status, until, today),
      scope: scope_words,
      since,
      until,
    })),
  }
})

export const endService = handleRights(contract.endService, async (ctx, { service_id }) => {
  const done = await end(ctx, service_id)
  if (!done) throw refuse('not_found', '没有找到这项代理服务，可能已经结束，请刷新')
  ctx.about({ ended: done.ended })
  return { ended: done.ended }
})

export const getCorpList = handleOutside(contract.getCorpList, async (ctx, { name, page, pagesize }) => {
  const me = mine(ctx)
  const { rows, total } = await ctx.inTransaction(async ({ db, company_id }) => {
    let links = db.selectFrom('agency_link').where('company_id', '=', company_id)
    if (name) links = links.where('served_name', 'like', `%${name.replace(/[\\%_]/g, '\\$&')}%`)
    const { count } = await links.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    const found = await links
      .select(['id', 'served_company_id', 'served_name', 'created_at'])
      .orderBy('served_name')
      .orderBy('id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    return { rows: found, total: count }
  })
  const list = []
  // One after the other: a page of them, each a company of its own.
  for (const { id, served_company_id, served_name, created_at } of rows) {
    const seen = served_company_id && (await lookAt(ctx, me, served_company_id))
    list.push({
      link_id: id,
      since: isoOf(created_at),
      name: served_name,
      ...(seen || { ...nobodyThere, status: 'waiting' as const }),
    })
  }
  return { list, page: { page, pagesize, total } }
})

const shownOf = ({ unviewed: _unviewed, ...glance }: Awaited<ReturnType<typeof glanceOf>>) => glance
const nobodyThere = { corp_id: null, until: null, glance: null, late: [] }

/** A company that is served, as its seat sees it; a wish that waits tells nothing of it but the name that was typed. */
function lookAt(ctx: OutsideCtx, me: Me, served: string) {
  return there(ctx, served, async (here) => {
    const { db, company_id, now } = here
    const service = await serviceBy(here, me.company_id)
    if (!service || service.status === 'waiting') return null
    if (service.status === 'refused') return { ...nobodyThere, status: 'refused' as const }
    const today = dayOf(now)
    const status = stateOf(service.status, service.until, today)
    const seat = status === 'active' && (await loadMe(db, { ...sessionOf(me), company_id, agency_id: me.company_id }, now))
    const seen = seat ? await glanceOf({ ...here, me: seat }) : null
    return {
      corp_id: company_id,
      name: await nameHere(here),
      status,
      until: service.until,
      glance: seen && shownOf(seen),
      late: lateOf(seen, status === 'active' ? service.until : null, today),
    }
  })
}

export const sessionOf = ({ session_id, account_id, mobile }: Me) => ({ id: session_id, account_id, mobile, view_until: null })
