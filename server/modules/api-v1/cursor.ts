/** Cursors of lists: opaque to programs. One holds the last id of a page, or how many entries came before. */
import { invalidInput } from '../../http/handler.ts'

const encode = (value: string): string => Buffer.from(value).toString('base64url')
const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()
const createError = () => invalidInput('cursor', '翻页位置不正确，请从第一页重新开始')

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Returns the id after which the page begins; null for the first page. */
export function parseIdCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const id = decode(cursor)
  if (!idPattern.test(id)) throw createError()
  return id
}
/** A page of a list in the order of its ids; `rows` has one more than `limit` where there is another page. */
export function toIdPage<T>(rows: readonly T[], limit: number, getId: (row: T) => string) {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last ? encode(getId(last)) : null }
}

/** For lists whose existing call counts pages: the page keeps the size with which the walk began. */
export function parsePageCursor(cursor: string | undefined, limit: number): { page: number; pagesize: number } {
  if (cursor === undefined) return { page: 1, pagesize: limit }
  const [, page = '', pagesize = ''] = /^(\d{1,5})\.(\d{1,3})$/.exec(decode(cursor)) ?? []
  const requested = { page: Number(page), pagesize: Number(pagesize) }
  if (requested.page < 1 || requested.pagesize < 1 || requested.pagesize > 100) throw createError()
  return requested
}
export const toPageCursor = ({ page, pagesize, total }: { page: number; pagesize: number; total: number }): string | null =>
  page * pagesize < total ? encode(`${page + 1}.${pagesize}`) : null
