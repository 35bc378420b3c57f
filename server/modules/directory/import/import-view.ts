/** Viewing an import: its progress, its rows and the answers to questions. Writes member_import. */
import * as contract from '../../../contract/directory/import.ts'
import { assertAllowed, defineHandler, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { maskBankCard } from '../../../rules/bank-card.ts'
import { maskIdCard } from '../../../rules/id-card.ts'
import type { ImportAnswer, PlannedRow } from '../rules/import-plan.ts'
import { isManageableMember } from '../scope.ts'
import { findLastImport, loadAnswers, loadPlan, loadReadRoster, lockImport, requireImport } from './import-record.ts'
import { savePlan } from './plan.ts'
import type { ImportAnswers, ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'
import { toImportWithSheets } from './sheets.ts'

export const getImport = defineHandler(contract.getImport, async (ctx, { import_id }) => {
  const row = import_id ? await requireImport(ctx, import_id) : await findLastImport(ctx)
  return { import: row ? await toImportWithSheets(ctx, row) : null }
})

export const getImportRows = defineHandler(contract.getImportRows, async (ctx, { import_id, state, page, pagesize }) => {
  const record = await requireImport(ctx, import_id)
  const read = await loadReadRoster(ctx, record)
  const plan = await loadPlan(ctx, record)
  const all = plan.rows.map((planned, at) => ({ planned, at })).filter(({ planned }) => !state || planned.decision.kind === state)
  const pageRows = all.slice((page - 1) * pagesize, page * pagesize)
  const choices = await loadChoices(
    ctx,
    pageRows.map(({ planned }) => planned),
  )
  const answers = new Map(await loadAnswers(ctx, record))
  const list = pageRows.map(({ planned, at }) => toRowView(planned, read.rows[at], { choices, answer: answers.get(planned.row) }))
  return { list, page: { page, pagesize, total: all.length } }
})

/** The effect of a missing phone on the member. */
const missingPhoneMessages = {
  none: {
    new: '没有手机号：不能登录，收不到短信和邮件；请打印工资条，或绑定聊天平台后在聊天里发',
    kept: '没有手机号',
  },
  shared: {
    new: '手机号还写给了别人，暂不登记在任何人名下：不能登录；请打印工资条，或补填本人的手机号',
    kept: '手机号还写给了别人，没有更新',
  },
} as const

type MemberChoices = ReadonlyMap<string, contract.ImportRowView['choices'][number]>
/** Loads the members that these rows refer to, only within the user's scope, because nobody else may be named. */
async function loadChoices(ctx: HandlerContext, rows: readonly PlannedRow[]): Promise<MemberChoices> {
  const { db, company_id } = ctx
  const ids = [...new Set(rows.flatMap(({ decision }) => (decision.kind === 'conflict' ? decision.person_ids : [])))]
  if (ids.length === 0) return new Map()
  const members = await db
    .selectFrom('member')
    .select(['id', 'name', 'mobile', 'employee_no', 'status'])
    .where('company_id', '=', company_id)
    .where('id', 'in', ids)
    // The scope may have shrunk since.
    .where(isManageableMember(ctx))
    .execute()
  return new Map(
    members.map(({ id, name, mobile, employee_no, status }) => [
      id,
      { ID: id, NAME: name, MOBILE: mobile, EMPLOYEE_NO: employee_no, TERMINATED: status === 'left' },
    ]),
  )
}

function toRowView(
  { row, decision, phone }: PlannedRow,
  readRow: ReadRoster['rows'][number] | undefined,
  { choices, answer }: { choices: MemberChoices; answer: ImportAnswer | undefined },
): contract.ImportRowView {
  const changes = 'changes' in decision ? decision.changes : []
  const isConflict = decision.kind === 'conflict'
  return {
    row,
    sheet: readRow?.form ?? readRow?.sheet ?? null,
    name: readRow?.name ?? '',
    mobile: readRow?.mobile ?? '',
    employee_no: readRow?.employee_no ?? '',
    departments: (readRow?.departments ?? []).map((path) => path.join('/')).join('；'),
    state: decision.kind,
    message:
      'why' in decision
        ? decision.why
        : phone
          ? missingPhoneMessages[phone][decision.kind === 'new' || decision.kind === 'back' ? 'new' : 'kept']
          : '',
    // In a form layout, values may be anywhere, so a column letter would refer to another cell.
    column: decision.kind === 'fault' && readRow?.form === undefined ? decision.column : null,
    // For encrypted fields, only keyed hashes were compared.
    changes: changes.map((one) => {
      if (one.field !== 'id_card' && one.field !== 'bank_account') return one
      const now = one.field === 'id_card' ? maskIdCard(readRow?.id_card ?? '') : maskBankCard(readRow?.bank_account ?? '')
      return { ...one, old: one.old === '' ? '' : '已登记的号码', new: now }
    }),
    choices: isConflict && decision.may.includes('person') ? decision.person_ids.flatMap((id) => choices.get(id) ?? []) : [],
    can_create: isConflict && decision.may.includes('new'),
    may_status: isConflict && decision.may.includes('status'),
    decision: answer?.take ?? null,
  }
}

export const answerImport = defineHandler(contract.answerImport, async (ctx, { import_id, answers, statuses = [], all }) => {
  const record = await lockImport(ctx, import_id)
  assertAllowed(record.stage === 'planned' || '这份花名册已经导入，或正在导入', { status: record.stage })
  const read = await loadReadRoster(ctx, record)
  const answersBefore = applyStatusAnswers(await loadAnswers(ctx, record), read, statuses)
  const nextAnswers = all
    ? applyBulkAnswer(answersBefore, await loadPlan(ctx, record), all)
    : applyRowAnswers(answersBefore, answers)
  await savePlan(ctx, import_id, { read }, nextAnswers)
  return toImportWithSheets(ctx, await requireImport(ctx, import_id))
})

type AnswerKind = 'skip' | 'new' | 'person' | 'active' | 'left'
/** The identity question and the status question are answered separately: neither answer removes the other. */
function applyRowAnswers(
  before: ImportAnswers,
  answers: readonly { row: number; take: AnswerKind | null; member_id?: string | undefined }[],
): ImportAnswers {
  const answerByRow = new Map(before)
  for (const { row, take, member_id } of answers) {
    const existing = answerByRow.get(row)
    const status = existing && existing.take !== 'skip' && existing.status ? { status: existing.status } : {}
    if (take === null) answerByRow.delete(row)
    else if (take === 'active' || take === 'left') answerByRow.set(row, addStatus(existing, take))
    else if (take === 'skip') answerByRow.set(row, { take })
    else if (take === 'new') answerByRow.set(row, { take, ...status })
    else if (member_id) answerByRow.set(row, { take, person_id: member_id, ...status })
    else throw invalidInput('answers', '请选择这一行是哪位员工')
  }
  return [...answerByRow]
}
const addStatus = (existing: ImportAnswer | undefined, status: 'active' | 'left'): ImportAnswer =>
  existing?.take === 'new' || existing?.take === 'person' ? { ...existing, status } : { take: 'status', status }

/** A status text is answered once for all rows that contain it. */
function applyStatusAnswers(
  before: ImportAnswers,
  { rows }: ReadRoster,
  statuses: readonly { word: string; take: 'active' | 'left' | 'skip' | null }[],
): ImportAnswers {
  const takes = new Map(statuses.map(({ word, take }) => [word, take]))
  return applyRowAnswers(
    before,
    rows.flatMap(({ row, status_word }) => {
      const take = status_word === undefined ? undefined : takes.get(status_word)
      return take === undefined ? [] : [{ row, take }]
    }),
  )
}

const applyBulkAnswer = (before: ImportAnswers, { rows }: ImportPlan, take: 'skip' | 'new'): ImportAnswers => {
  const open = rows.filter(({ decision }) => decision.kind === 'conflict' && (take === 'skip' || decision.may.includes('new')))
  return applyRowAnswers(
    before,
    open.map(({ row }) => ({ row, take })),
  )
}
