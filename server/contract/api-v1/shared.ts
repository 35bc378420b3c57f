/**
 * What the calls below `/api/v1` have in common: access by key only, pages with a cursor, and the company's own
 * references. The compatibility rule is in docs/integration/compatibility.md.
 */
import * as z from 'zod/mini'
import { id, requiredText } from '../shared/schemas.ts'

/** The parameters of every list. The cursor is opaque: it comes from `next_cursor` of the page before. */
export const cursorParams = {
  cursor: z.optional(z.string().check(z.regex(/^[\w-]{1,200}$/, '翻页位置不正确，请从第一页重新开始'))),
  limit: z._default(z.coerce.number<number>().check(z.int(), z.gte(1, '每页 1 到 100 条'), z.lte(100, '每页 1 到 100 条')), 50),
}
/** The response of every list; `next_cursor` is null on the last page. */
export const paginate = <T extends z.ZodMiniType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.nullable(z.string()) })

/** The company's own id of an employee, a department or a batch, unique among those of the company. */
export const externalId = requiredText(100, '请填写您系统里的编号')
export const ownReference = z.nullable(z.string())

/** Names an employee in a request: by one of the three. */
export const employeeReference = {
  employee_id: z.optional(id),
  external_id: z.optional(externalId),
  employee_no: z.optional(requiredText(30, '请填写工号')),
}
/** Names an employee in a response. */
export const employeeNames = z.object({
  employee_id: id,
  external_id: ownReference,
  employee_no: z.string(),
  name: z.string(),
})
export const batchParam = { batch_id: id }
/** A wage sheet and the batch that is sent from it are one: they share their id and the company's reference. */
export const batchNames = { batch_id: id, external_id: ownReference }
