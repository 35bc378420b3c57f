/**
 * Upload: the file is opened by a child process, outside any transaction; then one transaction keeps the file, what was understood
 * of it and its rows. Nothing half-written remains, whatever fails.
 */
import { createHash } from 'node:crypto'
import { parseFen } from '../../contract/money.ts'
import type { Layout, SheetInfo } from '../../contract/sheet.ts'
import * as contract from '../../contract/sheet.ts'
import { can } from '../../contract/states.ts'
import { dropFile, putFile, readFile } from '../../runtime/files.ts'
import { type Ctx, handleOutside, invalid, must, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { type BatchRow, batchFor, holdMyself } from './access.ts'
import { readSheet, type SheetCell, type SheetRead, SheetUnreadable } from './reader/read-sheet.ts'
import { isAmount, type RowCell, type RowCells } from './rules/amounts.ts'
import { arrange } from './rules/arrange.ts'
import { fenOfDecimal, readDecimal } from './rules/cells.ts'
import { insertRows } from './stored-rows.ts'
import { titleFor } from './title.ts'
import { infoOf, layoutOf, sealDrawing, sealUnderstood, type Understood, understoodOf } from './understood.ts'

export const uploadWageExcel = handleOutside(contract.uploadWageExcel, async (ctx, input) => {
  const source = ctx.upload ?? (await storedFile(ctx, input))
  if (source.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
  // Whatever ends this call also ends the child.
  const done = new AbortController()
  try {
    const read = await open(source, input.sheet, AbortSignal.any([ctx.signal, done.signal]))
    return await ctx.inTransactionOnce((inner) => keep(inner, read, source, input, ctx.upload !== null))
  } catch (error) {
    if (error instanceof SheetUnreadable) throw refuse('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
  }
})

type Source = { readonly file_name: string; readonly bytes: Buffer }
type Input = {
  readonly sheet?: string | undefined
  readonly title_id?: string | undefined
  readonly batch_id?: string | undefined
}

/** Another sheet of the file that the batch was made of. */
async function storedFile(ctx: OutsideCtx, { batch_id, sheet }: Input): Promise<Source> {
  if (!batch_id || sheet === undefined) throw invalid('file', '请选择要上传的工资表')
  return ctx.inTransaction(async (inner) => {
    const batch = await batchFor(inner, batch_id, 'manage')
    must(can.arrange(batch.status), { status: batch.status })
    if (!batch.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const { bytes } = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes }
  })
}

/** Reads the file; what is no wage sheet with people is refused with a sentence that says what to do. */
async function open({ file_name, bytes }: Source, sheet: string | undefined, signal: AbortSignal): Promise<SheetRead> {
  const read = await readSheet(bytes, { file_name, sheet, signal })
  const { kind, reason } = read.understanding
  if (kind === 'wage') return read
  if (kind === 'template') throw new SheetUnreadable('表里只有表头，没有人员；请填好每个人的工资后再上传')
  if (kind === 'member_list')
    throw new SheetUnreadable('这像是员工名单，没有工资金额；添加员工请到「花名册」，发工资条请上传带「实发工资」的工资表')
  const why = reason ?? '没有找到工资表：表里要有一行写着“姓名”“实发工资”等列名'
  throw new SheetUnreadable(why.includes('请') ? why : `${why}，请修改后重新上传`)
}

async function keep(
  ctx: Ctx,
  read: SheetRead,
  source: Source,
  input: Input,
  isNewFile: boolean,
): Promise<SheetInfo & { difference: null }> {
  const { db, company_id, vault, now } = ctx
  const admin_id = await holdMyself(ctx)
  const old = input.batch_id ? await batchFor(ctx, input.batch_id, 'manage') : null
  if (old) must(can.arrange(old.status), { status: old.status })
  const title_id = input.title_id ? (await titleFor(ctx, input.title_id)).id : (old?.title_id ?? null)
  const owner_id = old?.owner_id ?? admin_id

  const fingerprint = vault.index('header', read.understanding.fingerprint).toString('hex')
  const { understood, layout } = await remember(ctx, owner_id, fingerprint, understoodFrom(read), old)
  const file_id =
    isNewFile || !old?.file_id ? await putFile(ctx, { kind: 'sheet', name: source.file_name, bytes: source.bytes }) : old.file_id
  const id = old?.id ?? newId()
  const columns = {
    title_id,
    file_id,
    file_name: source.file_name,
    // Keyed, as everywhere: the plain hash of a short file would tell whether a guessed content is the right one.
    file_hash: vault.index('sheet', createHash('sha256').update(source.bytes).digest('hex')),
    fingerprint,
    understood: sealUnderstood(vault, id, understood),
    drawing: sealDrawing(vault, id, read.drawing),
    layout: JSON.stringify(layout),
    people: understood.rows,
    updated_at: now,
  }
  if (old) {
    await db.deleteFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', id).execute()
    const fresh = { ...columns, status: 'draft', accepted: [], totals: null }
    await db.updateTable('batch').set(fresh).where('company_id', '=', company_id).where('id', '=', id).execute()
    if (old.file_id && old.file_id !== file_id) await dropFile(ctx, old.file_id)
  } else
    await db
      .insertInto('batch')
      .values({ company_id, id, owner_id, ...columns, created_at: now })
      .execute()

  let rows = 0
  for await (const chunk of read.rows) {
    rows += chunk.length
    await insertRows(
      ctx,
      id,
      chunk.map((row) => ({ row: row.row, cells: cellsFrom(row.cells) })),
    )
  }
  ctx.about({ batch_id: id, rows })
  return { ...infoOf(await batchFor(ctx, id, 'manage'), understood), difference: null }
}

function understoodFrom({ understanding }: SheetRead): Understood {
  const { sheets, parts, says, header, columns, data_rows, ignored, formula, subtotals, totals_row, warnings, questions } =
    understanding
  return {
    sheets,
    parts,
    says,
    header,
    columns,
    rows: data_rows.length,
    ignored,
    formula: formula && { ...formula, by: 'found' },
    subtotals,
    totals_row,
    warnings,
    questions,
    remembered: null,
    expected: null,
  }
}

/**
 * What was said about the last sheet of the same header is taken over: roles, arrangement, and which columns ought to add up. Where
 * nothing is remembered the arrangement follows from the roles.
 */
async function remember(
  ctx: Ctx,
  owner_id: string,
  fingerprint: string,
  understood: Understood,
  old: BatchRow | null,
): Promise<{ understood: Understood; layout: Layout }> {
  const before =
    (await ctx.db
      .selectFrom('batch')
      .innerJoin('title', (join) =>
        join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
      )
      .select(['batch.id', 'batch.understood', 'batch.layout', 'title.name', 'title.month'])
      .where('batch.company_id', '=', ctx.company_id)
      .where('batch.owner_id', '=', owner_id)
      .where('batch.fingerprint', '=', fingerprint)
      .$if(old !== null, (query) => query.where('batch.id', '<>', old?.id ?? ''))
      .orderBy('batch.created_at', 'desc')
      .orderBy('batch.id', 'desc')
      .limit(1)
      .executeTakeFirst()) ?? null
  if (!before) return { understood, layout: arrange(understood.columns) }
  const kept = understoodOf(ctx, before)
  const roleOf = new Map(kept.columns.map((column) => [column.key, column]))
  // The same header may stand one column further to the right: then keys mean other columns, and nothing is taken over.
  const same =
    understood.columns.length === kept.columns.length &&
    understood.columns.every((column) => roleOf.get(column.key)?.label === column.label)
  if (!same) return { understood, layout: arrange(understood.columns) }
  const columns = understood.columns.map((column) => {
    const role = roleOf.get(column.key)?.role ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason: '沿用上次的设置' }
  })
  const net = columns.find((column) => column.role === 'net')?.key ?? null
  const formula = understood.formula && (net === null || understood.formula.net === net) ? understood.formula : null
  const totals_row =
    understood.totals_row && net !== (understood.columns.find((column) => column.role === 'net')?.key ?? null)
      ? { ...understood.totals_row, net_fen: null, agrees: null }
      : understood.totals_row
  return {
    understood: {
      ...understood,
      columns,
      formula,
      totals_row,
      expected: kept.formula ?? kept.expected,
      remembered: {
        template_id: before.id,
        name: null,
        title: before.name,
        month: before.month,
        fresh: [],
        missing: [],
        renamed: [],
      },
    },
    layout: layoutOf(before, kept),
  }
}

/** Only cells that hold something. */
function cellsFrom(read: Readonly<Record<string, SheetCell>>): RowCells {
  const cells: Record<string, RowCell> = {}
  for (const key in read) {
    const cell = read[key]
    if (!cell || (cell.kind === 'empty' && cell.value === '')) continue
    const { value, kind } = cell
    if (cell.uncached) cells[key] = { value, kind: 'error', flaw: 'uncached' }
    else if (cell.damaged) cells[key] = { value, kind, flaw: 'damaged' }
    else if (kind === 'money') {
      const fen = cell.fen ?? parseFen(value) ?? fenOfDecimal(readDecimal(value))
      cells[key] = isAmount(fen) ? { value, kind, fen } : { value, kind: 'text' }
    } else cells[key] = { value, kind }
  }
  return cells
}
