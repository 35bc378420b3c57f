/** An import as it is looked at: how far it is, its rows, and what is answered to them. Writes member_import. */
import * as contract from '../../../contract/people/import.ts'
import { maskBankCard } from '../../../rules/bank-card.ts'
import { maskIdCard } from '../../../rules/id-card.ts'
import { type Ctx, handle, invalid, must } from '../../../runtime/handle.ts'
import type { ImportAnswer, PlannedRow } from '../rules/import-plan.ts'
import { keepable } from '../scope.ts'
import { answersOf, heldImport, importOf, lastImport, planOf, readOf } from './kept.ts'
import { keepPlan } from './plan.ts'
import type { ImportAnswers, ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { inFile } from './sheets.ts'

export const getImport = handle(contract.getImport, async (ctx, { import_id }) => {
  const row = import_id ? await importOf(ctx, import_id) : await lastImport(ctx)
  return { import: row ? await inFile(ctx, row) : null }
})

export const getImportRows = handle(contract.getImportRows, async (ctx, { import_id, state, page, pagesize }) => {
  const kept = await importOf(ctx, import_id)
  const read = await readOf(ctx, kept)
  const plan = await planOf(ctx, kept)
  const all = plan.rows.map((planned, at) => ({ planned, at })).filter(({ planned }) => !state || planned.decision.kind === state)
  const some = all.slice((page - 1) * pagesize, page * pagesize)
  const choices = await choicesOf(
    ctx,
    some.map(({ planned }) => planned),
  )
  const answers = new Map(await answersOf(ctx, kept))
  const list = some.map(({ planned, at }) => shown(planned, read.rows[at], { choices, answer: answers.get(planned.row) }))
  return { list, page: { page, pagesize, total: all.length } }
})

/** What it means for the person that no phone is registered. */
const withoutPhone = {
  none: {
    new: '没有手机号：不能登录，收不到短信和邮件；请打印工资条，或绑定聊天平台后在聊天里发',
    kept: '没有手机号',
  },
  shared: {
    new: '手机号还写给了别人，暂不登记在任何人名下：不能登录；请打印工资条，或补填本人的手机号',
    kept: '手机号还写给了别人，没有更新',
  },
} as const

type Choices = ReadonlyMap<string, contract.ImportRowInfo['choices'][number]>
/** The people of whom these rows speak: within my scope, for nobody else is ever named. */
async function choicesOf(ctx: Ctx, rows: readonly PlannedRow[]): Promise<Choices> {
  const { db, company_id } = ctx
  const ids = [...new Set(rows.flatMap(({ decision }) => (decision.kind === 'conflict' ? decision.person_ids : [])))]
  if (ids.length === 0) return new Map()
  const people = await db
    .selectFrom('member')
    .select(['id', 'name', 'mobile', 'employee_no', 'status'])
    .where('company_id', '=', company_id)
    .where('id', 'in', ids)
    // It may have become smaller since.
    .where(keepable(ctx))
    .execute()
  return new Map(
    people.map(({ id, name, mobile, employee_no, status }) => [
      id,
      { ID: id, NAME: name, MOBILE: mobile, EMPLOYEE_NO: employee_no, LEFT: status === 'left' },
    ]),
  )
}

function shown(
  { row, decision, phone }: PlannedRow,
  said: ReadRoster['rows'][number] | undefined,
  { choices, answer }: { choices: Choices; answer: ImportAnswer | undefined },
): contract.ImportRowInfo {
  const changes = 'changes' in decision ? decision.changes : []
  const isAsked = decision.kind === 'conflict'
  return {
    row,
    sheet: said?.form ?? said?.sheet ?? null,
    name: said?.name ?? '',
    mobile: said?.mobile ?? '',
    employee_no: said?.employee_no ?? '',
    departments: (said?.departments ?? []).map((way) => way.join('/')).join('；'),
    state: decision.kind,
    why:
      'why' in decision
        ? decision.why
        : phone
          ? withoutPhone[phone][decision.kind === 'new' || decision.kind === 'back' ? 'new' : 'kept']
          : '',
    // A form has its values anywhere: there a letter would name another cell.
    column: decision.kind === 'fault' && said?.form === undefined ? decision.column : null,
    // Of what is sealed only keyed hashes were compared.
    changes: changes.map((one) => {
      if (one.field !== 'id_card' && one.field !== 'bank_account') return one
      const now = one.field === 'id_card' ? maskIdCard(said?.id_card ?? '') : maskBankCard(said?.bank_account ?? '')
      return { ...one, old: one.old === '' ? '' : '已登记的号码', new: now }
    }),
    choices: isAsked && decision.may.includes('person') ? decision.person_ids.flatMap((id) => choices.get(id) ?? []) : [],
    may_new: isAsked && decision.may.includes('new'),
    may_status: isAsked && decision.may.includes('status'),
    take: answer?.take ?? null,
  }
}

export const answerImport = handle(contract.answerImport, async (ctx, { import_id, answers, statuses = [], all }) => {
  const kept = await heldImport(ctx, import_id)
  must(kept.stage === 'planned' || '这份花名册已经导入，或正在导入', { status: kept.stage })
  const read = await readOf(ctx, kept)
  const before = answeredStatuses(await answersOf(ctx, kept), read, statuses)
  const answered = all ? answeredAll(before, await planOf(ctx, kept), all) : answeredSome(before, answers)
  await keepPlan(ctx, import_id, { read }, answered)
  return inFile(ctx, await importOf(ctx, import_id))
})

type Take = 'skip' | 'new' | 'person' | 'active' | 'left'
/** Who somebody is and what the status means are answered one after the other: neither takes the other away. */
function answeredSome(
  before: ImportAnswers,
  answers: readonly { row: number; take: Take | null; member_id?: string | undefined }[],
): ImportAnswers {
  const now = new Map(before)
  for (const { row, take, member_id } of answers) {
    const known = now.get(row)
    const status = known && known.take !== 'skip' && known.status ? { status: known.status } : {}
    if (take === null) now.delete(row)
    else if (take === 'active' || take === 'left') now.set(row, withStatus(known, take))
    else if (take === 'skip') now.set(row, { take })
    else if (take === 'new') now.set(row, { take, ...status })
    else if (member_id) now.set(row, { take, person_id: member_id, ...status })
    else throw invalid('answers', '请选择这一行是哪位员工')
  }
  return [...now]
}
const withStatus = (known: ImportAnswer | undefined, status: 'active' | 'left'): ImportAnswer =>
  known?.take === 'new' || known?.take === 'person' ? { ...known, status } : { take: 'status', status }

/** A word is answered once for all rows in which it stands. */
function answeredStatuses(
  before: ImportAnswers,
  { rows }: ReadRoster,
  statuses: readonly { word: string; take: 'active' | 'left' | 'skip' | null }[],
): ImportAnswers {
  const takes = new Map(statuses.map(({ word, take }) => [word, take]))
  return answeredSome(
    before,
    rows.flatMap(({ row, status_word }) => {
      const take = status_word === undefined ? undefined : takes.get(status_word)
      return take === undefined ? [] : [{ row, take }]
    }),
  )
}

const answeredAll = (before: ImportAnswers, { rows }: ImportPlan, take: 'skip' | 'new'): ImportAnswers => {
  const open = rows.filter(({ decision }) => decision.kind === 'conflict' && (take === 'skip' || decision.may.includes('new')))
  return answeredSome(
    before,
    open.map(({ row }) => ({ row, take })),
  )
}
