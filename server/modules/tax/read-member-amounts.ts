/** Reads an uploaded list of amounts per member, and finds the member of each row. */
import { type ExternalContext, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import {
  type MemberAmountKind,
  type MemberAmountList,
  readMemberAmounts,
  UnreadableSheetError,
} from '../../spreadsheets/index.ts'
import { loadRoster } from '../directory/index.ts'
import { type IdentifiedMember, matchRowStrictly } from './rules/match-member.ts'

const titles: Readonly<Record<MemberAmountKind, string>> = { bases: '缴费基数表', incomes: '收入表' }

/** Throws `unreadable_sheet` with the reason if the upload is not such a list. */
export async function readUploadedAmounts(ctx: ExternalContext, kind: MemberAmountKind): Promise<MemberAmountList> {
  const { upload } = ctx
  if (!upload) throw invalidInput('file', `请选择${titles[kind]}`)
  if (upload.bytes.length === 0) throw fail('unreadable_sheet', '文件是空的，请检查后重新上传')
  const read = await readMemberAmounts(ctx.noTransaction, upload.bytes, {
    kind,
    file_name: upload.file_name,
    signal: ctx.signal,
    owner: ctx.me?.company_id,
  }).catch((error: unknown) => {
    // The file reader's error messages mention wage sheets.
    throw error instanceof UnreadableSheetError
      ? fail('unreadable_sheet', error.message.replaceAll('工资表', titles[kind]))
      : error
  })
  if (read.reason !== null) throw fail('unreadable_sheet', read.reason)
  return read
}

type ListedRow = MemberAmountList['rows'][number]
export type MatchedRow = { readonly row: ListedRow; readonly member: IdentifiedMember | string }

/** The member of each row, or why it has none: out of scope, ambiguous, contradicting the roster, or named twice. */
export async function matchRows(
  ctx: HandlerContext,
  rows: readonly ListedRow[],
  { includesTerminated }: { readonly includesTerminated: boolean },
): Promise<MatchedRow[]> {
  const roster = (await loadRoster(ctx)).filter(({ in_scope, status }) => in_scope && (includesTerminated || status !== 'left'))
  const byIdCard = new Map<string, IdentifiedMember>()
  const members = roster.map(({ id, name, employee_no, mobile, id_card_index }): IdentifiedMember => {
    const member = { id, name, employee_no, mobile, has_id_card: id_card_index !== null }
    if (id_card_index) byIdCard.set(id_card_index.toString('hex'), member)
    return member
  })
  const findByIdCard = (text: string) => byIdCard.get(ctx.vault.blindIndex('id_card', text).toString('hex'))
  const matched = rows.map((row): MatchedRow => {
    if (row.error) return { row, member: `${row.error.cell}：${row.error.reason}` }
    return { row, member: matchRowStrictly(row, { members, findByIdCard }) }
  })
  const counts = Map.groupBy(matched, ({ member }) => (typeof member === 'string' ? null : member.id))
  return matched.map(({ row, member }) =>
    typeof member !== 'string' && (counts.get(member.id)?.length ?? 0) > 1
      ? { row, member: '这个人在文件里有几行，请只留一行' }
      : { row, member },
  )
}
