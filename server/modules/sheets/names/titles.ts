/** List of titles and their shares. Writes title_share; deleting a title deletes its drafts if nothing in it was sent. */

import { sql } from 'kysely'
import type { ShareRights } from '../../../contract/sheets/titles.ts'
import * as contract from '../../../contract/sheets/titles.ts'
import { deleteFile } from '../../../files/stored-files.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { listNamedPayrollAdmins } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { filterByName, maxSearchedRows, openTitle } from './sealed-names.ts'

const hasCompanyPower = ({ currentUser }: Pick<HandlerContext, 'currentUser'>): boolean => currentUser.power.includes('4')

/** Condition for queries on `title`: the user's own titles, those shared with them, all titles for power 4. */
const visibleTitles = ({ currentUser, company_id }: Pick<HandlerContext, 'currentUser' | 'company_id'>) =>
  hasCompanyPower({ currentUser })
    ? sql<boolean>`true`
    : sql<boolean>`(title.owner_id = ${currentUser.admin_id} or exists (select from title_share where title_share.company_id = ${company_id}
        and title_share.title_id = title.id and title_share.admin_id = ${currentUser.admin_id}))`

/** Returns a title the user may share or delete, their own; else fails with `not_found`. `lock`: for the transaction. */
async function requireOwnTitle(ctx: HandlerContext, title_id: string, lock = true) {
  const { db, company_id, currentUser, vault } = ctx
  const title = await db
    .selectFrom('title')
    .select(['title.id', 'title.name', 'title.owner_id'])
    .where('title.company_id', '=', company_id)
    .where('title.id', '=', title_id)
    .where(visibleTitles(ctx))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!title) throw fail('not_found', '这个标题不存在，或没有共享给您')
  if (title.owner_id !== currentUser.admin_id && !hasCompanyPower(ctx))
    throw fail('not_permitted', '只有标题的负责人可以共享或删除它；请联系共享给您的人')
  return { ...title, name: openTitle(vault, title.id, title.name) ?? '' }
}

/** Finds the ids of titles with `query` in their name. */
async function findTitlesByName(
  { vault }: HandlerContext,
  titles: ReturnType<typeof selectVisibleTitles>,
  query: string,
): Promise<string[]> {
  const rows = await titles
    .select(['title.id', 'title.name'])
    .limit(maxSearchedRows + 1)
    .execute()
  if (rows.length > maxSearchedRows) throw invalidInput('name', '标题太多，请先选择月份，再按名称搜索')
  return (await filterByName(rows, query, ({ id, name }) => [openTitle(vault, id, name)])).map(({ id }) => id)
}

const selectVisibleTitles = (ctx: HandlerContext, month: string | undefined) =>
  ctx.db
    .selectFrom('title')
    .where('title.company_id', '=', ctx.company_id)
    .where(visibleTitles(ctx))
    .$if(month !== undefined, (query) => query.where('title.month', '=', month ?? ''))

/** Evaluates the aggregate `expression` over the batches of the title in the query. */
const batchAggregate = <T>(company_id: string, expression: string, condition = '') =>
  sql<T>`(select ${sql.raw(expression)} from batch where batch.company_id = ${company_id} and batch.title_id = title.id ${sql.raw(condition)})`

export const getTitleList = defineHandler(contract.getTitleList, async (ctx, { month, name, page, pagesize }) => {
  const { currentUser, company_id, vault } = ctx
  let titles = selectVisibleTitles(ctx, month)
  if (name) titles = titles.where(sql<boolean>`title.id = any(${await findTitlesByName(ctx, titles, name)}::uuid[])`)
  const { total } = await titles.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await titles
    .select(['title.id', 'title.name', 'title.month', 'title.kind', 'title.owner_id'])
    .select([
      batchAggregate<number>(company_id, 'count(*)::int').as('batches'),
      batchAggregate<number>(company_id, 'count(*)::int', "and batch.status in ('draft', 'checked')").as('unsent'),
      batchAggregate<Date | null>(company_id, 'max(batch.created_at)').as('last_at'),
      sql<number>`(select count(*)::int from title_share
        where title_share.company_id = ${company_id} and title_share.title_id = title.id)`.as('shared'),
      sql<ShareRights | null>`(select rights from title_share where title_share.company_id = ${company_id}
        and title_share.title_id = title.id and title_share.admin_id = ${currentUser.admin_id})`.as('rights'),
    ])
    .orderBy('title.month', 'desc')
    .orderBy('title.created_at', 'desc')
    .orderBy('title.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const names = new Map((await listNamedPayrollAdmins(ctx)).map((one) => [one.user_id, one.name]))
  return {
    list: rows.map(({ id, name: sealed, owner_id, rights, last_at, ...row }) => ({
      ...row,
      title_id: id,
      title: openTitle(vault, id, sealed) ?? '',
      owner: names.get(owner_id) ?? '已不是管理员',
      is_own: owner_id === currentUser.admin_id,
      rights: owner_id === currentUser.admin_id || hasCompanyPower(ctx) ? ('own' as const) : (rights ?? ('view' as const)),
      last_batch_at: last_at ? toIsoTimestamp(last_at) : null,
    })),
    page: { page, pagesize, total: Number(total) },
  }
})

export const clearTitle = defineHandler(contract.clearTitle, async (ctx, { title_id }) => {
  const { db, company_id } = ctx
  await requireOwnTitle(ctx, title_id, false)
  const lockBatches = () =>
    db
      .selectFrom('batch')
      .select(['id', 'status', 'file_id'])
      .where('company_id', '=', company_id)
      .where('title_id', '=', title_id)
      .orderBy('id')
      .forUpdate()
      .execute()
  // Locks the batches before their title, in the same order as assigning a title; afterwards no batch can be moved to
  // another title.
  const lockedIds = new Set((await lockBatches()).map(({ id }) => id))
  const title = await requireOwnTitle(ctx, title_id)
  const batches = await lockBatches()
  if (batches.some(({ id }) => !lockedIds.has(id))) throw fail('wrong_state', '这个标题刚刚有变化，请重试', { status: 'draft' })
  const sent = batches.filter(({ status }) => status !== 'draft' && status !== 'checked').length
  if (sent > 0)
    throw fail('wrong_state', `「${title.name}」里有 ${sent} 批已经发送或定时发送的工资条，不能删除；草稿可以在列表里逐份删除`, {
      status: 'sent',
    })
  await db.deleteFrom('batch').where('company_id', '=', company_id).where('title_id', '=', title_id).execute()
  for (const { file_id } of batches) if (file_id) await deleteFile(ctx, file_id)
  await db.deleteFrom('title').where('company_id', '=', company_id).where('id', '=', title_id).execute()
  ctx.addAuditDetails({ batches: batches.length })
  return { batches: batches.length }
})

const shareRightsLabels: Readonly<Record<ShareRights, string>> = { view: '可以查看', manage: '可以查看、发送和修改' }

export const shareTitle = defineHandler(contract.shareTitle, async (ctx, { title_id, user_ids, rights }) => {
  const { db, company_id } = ctx
  const title = await requireOwnTitle(ctx, title_id)
  const admins = new Map((await listNamedPayrollAdmins(ctx)).map((one) => [one.user_id, one]))
  const adminIds = [...new Set(user_ids)].toSorted()
  // Revoking requires no check of the recipient: administrators who have lost their powers are no longer listed.
  if (rights === 'none') {
    const { numDeletedRows } = await db
      .deleteFrom('title_share')
      .where('company_id', '=', company_id)
      .where('title_id', '=', title_id)
      .where('admin_id', 'in', adminIds)
      .executeTakeFirst()
    ctx.addAuditDetails({ rights, changed: Number(numDeletedRows) })
    return { changed: Number(numDeletedRows) }
  }
  for (const user_id of adminIds) {
    const one = admins.get(user_id)
    if (!one) throw invalidInput('user_ids', '只能共享给薪酬管理员，请刷新后重选')
    if (user_id === title.owner_id) throw invalidInput('user_ids', `${one.name} 就是这个标题的负责人，不用共享`)
    if (one.all) throw invalidInput('user_ids', `${one.name} 是系统管理员，本来就能看到全部工资条，不用共享`)
  }
  const rows = await db
    .insertInto('title_share')
    .values(adminIds.map((admin_id) => ({ company_id, id: newId(), title_id, admin_id, rights })))
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'title_id', 'admin_id']).doUpdateSet({ rights }).where('title_share.rights', '<>', rights),
    )
    .returning('admin_id')
    .execute()
  for (const { admin_id } of rows)
    await notify(ctx, admin_id, {
      kind: 'role',
      text: `「${title.name}」已共享给您，您${shareRightsLabels[rights]}您管理范围内的工资条`,
      batch_id: null,
    })
  ctx.addAuditDetails({ rights, changed: rows.length })
  return { changed: rows.length }
})

export const getShareUserList = defineHandler(contract.getShareUserList, async (ctx, { title_id }) => {
  const { db, company_id } = ctx
  const title = await requireOwnTitle(ctx, title_id, false)
  const shares = await db
    .selectFrom('title_share')
    .select(['admin_id', 'rights'])
    .where('company_id', '=', company_id)
    .where('title_id', '=', title_id)
    .execute()
  const rightsByAdmin = new Map(shares.map(({ admin_id, rights }) => [admin_id, rights]))
  return {
    list: (await listNamedPayrollAdmins(ctx))
      .filter(({ user_id, all }) => !all && user_id !== title.owner_id)
      .map(({ user_id, name, mobile_masked, isFull }) => {
        return { user_id, name, mobile_masked, whole: isFull, rights: rightsByAdmin.get(user_id) ?? null }
      }),
  }
})
