/** How the slips of a batch are arranged. Writes batch.layout, and its title. */

import type { Layout } from '../../../contract/sheet/sheet.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { type BatchRow, batchFor, changedBy } from '../access.ts'
import { nameBatch } from '../names/title.ts'
import { learn } from '../recipe/recipes.ts'
import { changeLayout } from '../rules/arrange.ts'
import { layoutOf, sealLayout, understoodOf } from '../understood.ts'

const most_groups = 20

const current = (ctx: Ctx, batch: BatchRow): Layout => layoutOf(ctx, batch, understoodOf(ctx, batch))

export const getLayout = handle(contract.getLayout, async (ctx, { batch_id }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  return { ...current(ctx, batch), title: batch.title_name ?? '', month: batch.title_month, version: batch.layout_version }
})

/** A batch that may be arranged, with its present layout; refused where that is not the one that was `seen`. */
async function arrangeable(ctx: Ctx, batch_id: string, seen: number | undefined): Promise<{ batch: BatchRow; layout: Layout }> {
  const batch = await batchFor(ctx, batch_id, 'manage')
  const { status, layout_version: version } = batch
  must(can.arrange(status), { status })
  if (seen !== undefined && seen !== version) {
    const who = await changedBy(ctx, batch.layout_by)
    throw refuse('wrong_state', `${who}刚刚改过这份排版，您的改动还没有保存`, { status, version })
  }
  return { batch, layout: current(ctx, batch) }
}

/** Answers the version. */
async function keep(ctx: Ctx, batch: BatchRow, layout: Layout): Promise<number> {
  const { db, company_id, now, vault, me } = ctx
  const version = batch.layout_version + 1
  await db
    .updateTable('batch')
    .set({ layout: sealLayout(vault, batch.id, layout), layout_version: version, layout_by: me.admin_id, updated_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', batch.id)
    .execute()
  await learn(ctx, batch, understoodOf(ctx, batch), layout)
  return version
}

export const editPaySheetTitle = handle(
  contract.editPaySheetTitle,
  async (ctx, { batch_id, title, month, version, ...change }) => {
    const { batch, layout } = await arrangeable(ctx, batch_id, version)
    let named = batch
    if (title !== undefined || month !== undefined) {
      const name = title ?? batch.title_name
      const of = month ?? batch.title_month
      if (!name) throw invalid('title', '请填写标题')
      if (!of) throw invalid('month', '请选择月份')
      named = { ...batch, title_id: await nameBatch(ctx, batch, name, of, batch.title_kind ?? 'monthly') }
    }
    const next = changeLayout(layout, change)
    return { ...next, version: await keep(ctx, named, next) }
  },
)

export const insertClassify = handle(contract.insertClassify, async (ctx, { batch_id, name, version: seen }) => {
  const { batch, layout } = await arrangeable(ctx, batch_id, seen)
  if (layout.groups.length >= most_groups) throw invalid('name', `最多 ${most_groups} 个分组`)
  if (layout.groups.some((group) => group.name === name)) throw invalid('name', '已经有同名的分组')
  const class_id = newId()
  const version = await keep(ctx, batch, { ...layout, groups: [...layout.groups, { class_id, name }] })
  return { class_id, version }
})

export const updateClassify = handle(contract.updateClassify, async (ctx, { batch_id, class_id, name, place, version }) => {
  const { batch, layout } = await arrangeable(ctx, batch_id, version)
  const old = layout.groups.find((group) => group.class_id === class_id)
  if (!old) throw refuse('not_found', '没有这个分组，请刷新后重试')
  if (name !== undefined && layout.groups.some((group) => group !== old && group.name === name))
    throw invalid('name', '已经有同名的分组')
  const others = layout.groups.filter((group) => group !== old)
  const at = place ?? layout.groups.indexOf(old)
  const groups = [...others.slice(0, at), { class_id, name: name ?? old.name }, ...others.slice(at)]
  return { version: await keep(ctx, batch, { ...layout, groups }) }
})

export const clearClassify = handle(contract.clearClassify, async (ctx, { batch_id, class_id, version }) => {
  const { batch, layout } = await arrangeable(ctx, batch_id, version)
  if (!layout.groups.some((group) => group.class_id === class_id)) throw refuse('not_found', '没有这个分组，请刷新后重试')
  const kept = {
    ...layout,
    groups: layout.groups.filter((group) => group.class_id !== class_id),
    sort_list: layout.sort_list.map((item) => (item.class_id === class_id ? { ...item, class_id: null } : item)),
  }
  return { version: await keep(ctx, batch, kept) }
})
