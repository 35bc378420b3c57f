/** Applications listed and decided. A decision is made once: who comes second changes nothing, and is told what became of it. */
import { sql } from 'kysely'
import type { InputOf } from '../../contract/call.ts'
import type { ApprovalKind } from '../../contract/corp/approval.ts'
import * as contract from '../../contract/corp/approval.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, handleRights, type RightsCtx, refuse } from '../../runtime/handle.ts'
import { notify } from '../desk/index.ts'
import { mineToDecide, ofHead, reasonPlace, settle } from './applications.ts'
import { decided } from './decided.ts'
import { confirmChanged } from './phone.ts'
import { mayBecome } from './rules/deciding.ts'
import { decideServing } from './serving.ts'
import { transfer } from './transfer.ts'
import { administrator } from './who.ts'

const sentences: Record<ApprovalKind, (to: string) => string> = {
  wage_transfer: (to) => `申请把薪酬管理权限移交给 ${to}`,
  unbind: () => '申请解除企业与办公平台的绑定',
  join_agency: () => '申请为本企业代理工资条服务',
  send: () => '申请发送',
  phone: (to) => `申请确认 ${to} 登记的新手机号是本人的`,
}

export const getApprovalList = handle(contract.getApprovalList, async (ctx, { page, pagesize, ...wanted }) => {
  const found = applicationsFor(ctx, wanted)
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await applications(ctx, found)
    .orderBy('approval.created_at', 'desc')
    .orderBy('approval.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map((row) => toldTo(ctx, row)), page: { page, pagesize, total } }
})

/** Those that he has made, or may decide. */
function applicationsFor(
  { db, company_id, me }: Ctx,
  { status, kind }: Pick<InputOf<typeof contract.getApprovalList>, 'status' | 'kind'>,
) {
  let found = db
    .selectFrom('approval')
    .where('approval.company_id', '=', company_id)
    .where((eb) => eb.or([eb('approval.applicant_id', '=', me.admin_id), mineToDecide(me)]))
  if (status !== undefined) found = found.where('approval.status', '=', status)
  if (kind) found = found.where('approval.kind', '=', kind)
  return found
}

/** With who asked, who decided, and whom or what it is about. */
function applications({ company_id }: Ctx, found: ReturnType<typeof applicationsFor>) {
  const nameOf = (admin: 'approval.applicant_id' | 'approval.decided_by') =>
    sql<string | null>`(select member.name from admin join member
      on member.company_id = admin.company_id and member.id = admin.member_id
      where admin.company_id = ${company_id} and admin.id = ${sql.ref(admin)})`
  return found
    .leftJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'approval.company_id').onRef('member.id', '=', 'approval.member_id'),
    )
    .select([
      'approval.id',
      'approval.approval_no',
      'approval.kind',
      'approval.status',
      'approval.reason',
      'approval.applicant_id',
    ])
    .select([
      'approval.created_at',
      'approval.decided_at',
      'member.name as to_name',
      'member.unconfirmed_by',
      ofHead(company_id).as('of_head'),
    ])
    .select(
      // Only while it waits: afterwards they are somebody else's.
      sql<number>`(select count(*) from batch where approval.kind = 'wage_transfer' and approval.status = 0
        and batch.company_id = ${company_id} and batch.owner_id = approval.applicant_id)`.as('batches'),
    )
    .select([nameOf('approval.applicant_id').as('applicant'), nameOf('approval.decided_by').as('decided_by')])
}

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof applications>['execute']>>[number]
/** As whoever asks is told of it: its words, and whether he may decide. */
function toldTo(
  { me, vault }: Ctx,
  { id, reason, applicant_id, created_at, decided_at, applicant, to_name, unconfirmed_by, of_head, ...row }: ApplicationRow,
) {
  const changed_by_me = unconfirmed_by !== null && unconfirmed_by === me.admin_id
  const one = { kind: row.kind, applicant_id, status: row.status, of_head, changed_by_me }
  const words = reason.length === 0 ? '' : vault.open<string>(reasonPlace(id), reason)
  // What was asked for, in words, until there is a decision about it.
  const what = one.kind === 'send' ? (one.status === 0 ? words : '工资条') : ''
  return {
    ...row,
    kind: one.kind,
    status: one.status,
    reason: one.kind === 'send' && one.status === 0 ? '' : words,
    applicant: applicant ?? '',
    text: `${sentences[one.kind](to_name ?? '')}${what}`,
    created_at: isoOf(created_at),
    decided_at: decided_at && isoOf(decided_at),
    mine: applicant_id === me.admin_id,
    may_decide: mayBecome(me, one, 1) === true,
  }
}

export const setApprovalStatusByApprovalNo = handleRights(
  contract.setApprovalStatusByApprovalNo,
  async (ctx, { approval_no, status, reason = '', serving }) => {
    const one = await applicationOf(ctx, approval_no)
    const { me } = ctx
    const verdict = mayBecome(me, { ...one, changed_by_me: one.changed_by !== null && one.changed_by === me.admin_id }, status)
    if (verdict !== true) throw refuse(verdict.no, verdict.why, { status: one.status })
    ctx.about({ approval_id: one.id, status })
    if (!(await settle(ctx, one.id, status, reason)))
      throw refuse('wrong_state', '这份申请已经处理过了，请刷新', { status: (await applicationOf(ctx, approval_no)).status })
    if (one.kind === 'join_agency') await decideServing(ctx, one.applicant_id, status, serving)
    await decided(ctx, one.kind, { approval_no, status })
    if (status === 3) return {}
    if (status === 1 && one.kind === 'wage_transfer') await handOn(ctx, one)
    if (status === 1 && one.kind === 'phone') await confirmChanged(ctx, one)
    // Words are kept where they are sealed, not in notices.
    const became = status === 1 ? '已通过' : `已驳回${reason ? '，原因见申请记录' : ''}`
    const text = `您${sentences[one.kind](one.to_name)}${one.kind === 'send' ? '工资条' : ''}，${ctx.me.name} ${became}`
    await notify(ctx, one.applicant_id, { kind: 'approval', text, batch_id: null })
    return {}
  },
)

async function applicationOf({ db, company_id }: Ctx, approval_no: string) {
  const row = await db
    .selectFrom('approval')
    .leftJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'approval.company_id').onRef('member.id', '=', 'approval.member_id'),
    )
    .select(['approval.id', 'kind', 'applicant_id', 'member_id', 'approval.status', 'member.name as to_name'])
    .select(['approval.account_id as named', 'member.account_id as present', 'member.unconfirmed_by as changed_by'])
    .select(['approval.created_at', ofHead(company_id).as('of_head')])
    .where('approval.company_id', '=', company_id)
    .where('approval_no', '=', approval_no)
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这份申请，可能已被处理或不属于您')
  return { ...row, to_name: row.to_name ?? '' }
}

/** What he asked for happens now, if it still can: between asking and deciding he may have lost the power in another way. */
async function handOn(ctx: RightsCtx, one: Awaited<ReturnType<typeof applicationOf>>): Promise<void> {
  const { applicant_id, member_id } = one
  const { power, name } = await administrator(ctx, applicant_id)
  if (!power.includes('2') || !member_id)
    throw refuse('wrong_state', `${name} 已不是薪酬管理员，这份申请不能通过，请驳回`, { status: 'not_held' })
  // Whoever keeps the roster could give the person named another phone, and sign in as him.
  if (one.named !== one.present)
    throw refuse('wrong_state', `${one.to_name} 的登录手机号在申请之后由管理员更换过，请核实本人后驳回，再重新申请`, {
      status: 'another_account',
    })
  await transfer(ctx, applicant_id, member_id)
}

/** One application, for the subject that it is about. `may_see`: it is mine, or mine to decide. */
export async function approvalIn(
  { db, company_id, me, vault }: Pick<Ctx, 'db' | 'company_id' | 'me' | 'vault'>,
  which: string | { readonly approval_no: string },
) {
  const nameOf = (admin: 'approval.applicant_id' | 'approval.decided_by') =>
    sql<
      string | null
    >`(select member.name from admin join member on member.company_id = admin.company_id and member.id = admin.member_id
      where admin.company_id = ${company_id} and admin.id = ${sql.ref(admin)})`
  const [column, value] = typeof which === 'string' ? (['id', which] as const) : (['approval_no', which.approval_no] as const)
  const row = await db
    .selectFrom('approval')
    .select(['id', 'approval_no', 'kind', 'status', 'applicant_id', 'decided_by', 'created_at', 'reason'])
    .select([nameOf('approval.applicant_id').as('applicant'), nameOf('approval.decided_by').as('decider')])
    .select(ofHead(company_id).as('of_head'))
    .where('company_id', '=', company_id)
    .where(column, '=', value)
    .executeTakeFirst()
  if (!row) return null
  const verdict = mayBecome(me, row, 1)
  return {
    ...row,
    applicant: row.applicant ?? '',
    reason: row.reason.length === 0 ? '' : vault.open<string>(reasonPlace(row.id), row.reason),
    may_see: verdict === true || verdict.no !== 'not_found',
  }
}
