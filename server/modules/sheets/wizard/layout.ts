/** Payslip layout of a batch. Writes batch.layout and its title. */

import { can } from '../../../contract/shared/statuses.ts'
import type { Layout } from '../../../contract/sheets/sheet.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { type BatchRow, getEditorName, requireBatch } from '../access.ts'
import { saveBatchMapping } from '../mapping/mappings.ts'
import { assignTitle } from '../names/title.ts'
import { openPayslipLayout, openRecognition, sealPayslipLayout } from '../recognition.ts'
import { applyLayoutChange } from '../rules/default-layout.ts'

const maxGroups = 20

const getCurrentLayout = (ctx: HandlerContext, batch: BatchRow): Layout =>
  openPayslipLayout(ctx, batch, openRecognition(ctx, batch))

export const getLayout = defineHandler(contract.getLayout, async (ctx, { batch_id }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  return {
    ...getCurrentLayout(ctx, batch),
    title: batch.title_name ?? '',
    month: batch.title_month,
    version: batch.layout_version,
  }
})

/** Returns a batch whose layout may be edited, with its current layout; fails if its version is not `expectedVersion`. */
async function requireEditableLayout(
  ctx: HandlerContext,
  batch_id: string,
  expectedVersion: number | undefined,
): Promise<{ batch: BatchRow; layout: Layout }> {
  const batch = await requireBatch(ctx, batch_id, 'manage')
  const { status, layout_version: version } = batch
  assertAllowed(can.arrange(status), { status })
  if (expectedVersion !== undefined && expectedVersion !== version) {
    const editorName = await getEditorName(ctx, batch.layout_by)
    throw fail('wrong_state', `${editorName}刚刚改过这份排版，您的改动还没有保存`, { status, version })
  }
  return { batch, layout: getCurrentLayout(ctx, batch) }
}

/** Returns the version. */
async function saveLayout(ctx: HandlerContext, batch: BatchRow, layout: Layout): Promise<number> {
  const { db, company_id, now, vault, currentUser } = ctx
  const version = batch.layout_version + 1
  await db
    .updateTable('batch')
    .set({
      layout: sealPayslipLayout(vault, batch.id, layout),
      layout_version: version,
      layout_by: currentUser.admin_id,
      updated_at: now,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
  await saveBatchMapping(ctx, batch, openRecognition(ctx, batch), layout)
  return version
}

export const editPaySheetTitle = defineHandler(
  contract.editPaySheetTitle,
  async (ctx, { batch_id, title, month, version, ...change }) => {
    const { batch, layout } = await requireEditableLayout(ctx, batch_id, version)
    let named = batch
    if (title !== undefined || month !== undefined) {
      const name = title ?? batch.title_name
      const of = month ?? batch.title_month
      if (!name) throw invalidInput('title', '请填写标题')
      if (!of) throw invalidInput('month', '请选择月份')
      named = { ...batch, title_id: await assignTitle(ctx, batch, name, of, batch.title_kind ?? 'monthly') }
    }
    const next = applyLayoutChange(layout, change)
    return { ...next, version: await saveLayout(ctx, named, next) }
  },
)

export const insertClassify = defineHandler(
  contract.insertClassify,
  async (ctx, { batch_id, name, version: expectedVersion }) => {
    const { batch, layout } = await requireEditableLayout(ctx, batch_id, expectedVersion)
    if (layout.groups.length >= maxGroups) throw invalidInput('name', `最多 ${maxGroups} 个分组`)
    if (layout.groups.some((group) => group.name === name)) throw invalidInput('name', '已经有同名的分组')
    const class_id = newId()
    const version = await saveLayout(ctx, batch, { ...layout, groups: [...layout.groups, { class_id, name }] })
    return { class_id, version }
  },
)

export const updateClassify = defineHandler(
  contract.updateClassify,
  async (ctx, { batch_id, class_id, name, position, version }) => {
    const { batch, layout } = await requireEditableLayout(ctx, batch_id, version)
    const old = layout.groups.find((group) => group.class_id === class_id)
    if (!old) throw fail('not_found', '没有这个分组，请刷新后重试')
    if (name !== undefined && layout.groups.some((group) => group !== old && group.name === name))
      throw invalidInput('name', '已经有同名的分组')
    const others = layout.groups.filter((group) => group !== old)
    const at = position ?? layout.groups.indexOf(old)
    const groups = [...others.slice(0, at), { class_id, name: name ?? old.name }, ...others.slice(at)]
    return { version: await saveLayout(ctx, batch, { ...layout, groups }) }
  },
)

export const clearClassify = defineHandler(contract.clearClassify, async (ctx, { batch_id, class_id, version }) => {
  const { batch, layout } = await requireEditableLayout(ctx, batch_id, version)
  if (!layout.groups.some((group) => group.class_id === class_id)) throw fail('not_found', '没有这个分组，请刷新后重试')
  const nextLayout = {
    ...layout,
    groups: layout.groups.filter((group) => group.class_id !== class_id),
    sort_list: layout.sort_list.map((item) => (item.class_id === class_id ? { ...item, class_id: null } : item)),
  }
  return { version: await saveLayout(ctx, batch, nextLayout) }
})
