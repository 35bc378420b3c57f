/** Strict schemas of JSON columns. */
import * as z from 'zod/mini'
import { platformIssue } from '../../contract/platform-binding/binding.ts'
import type { IncomingUser, StoredDirectoryUser } from './rules/compare.ts'

const textOrEmpty = z._default(z.string(), '')
export const platformUserSchema: z.ZodMiniType<StoredDirectoryUser> = z.object({
  user_id: z.string(),
  name: textOrEmpty,
  mobile: textOrEmpty,
  employee_no: textOrEmpty,
  email: textOrEmpty,
  job_title: textOrEmpty,
  departments: z.array(z.string()),
  main_department: textOrEmpty,
  leads: z.array(z.string()),
  sort: z.record(z.string(), z.number()),
  status: z.enum(['active', 'not_joined', 'frozen']),
})
const nullableText = z.nullable(z.string())
export const incomingUserSchema: z.ZodMiniType<Omit<IncomingUser, 'listed_department_ids'>> = z.object({
  user_id: z.string(),
  name: nullableText,
  mobile: nullableText,
  employee_no: nullableText,
  email: nullableText,
  job_title: nullableText,
  department_ids: z.nullable(z.array(z.string())),
  main_department_id: nullableText,
  leads: z.nullable(z.array(z.string())),
  sort: z.record(z.string(), z.number()),
  status: z.enum(['active', 'not_joined', 'frozen', 'left']),
})
export const incomingDepartmentSchema = z.object({
  id: z.string(),
  parent_id: nullableText,
  name: nullableText,
  sort: z.nullable(z.number()),
  leader_ids: z.array(z.string()),
})
export const platformIssueListSchema = z.array(platformIssue)
export const visibleRangeSchema = z.nullable(
  z.object({ isFull: z.boolean(), department_ids: z.array(z.string()), user_ids: z.array(z.string()) }),
)
const idListSchema = z.array(z.string())
const changeSchema = z.enum(['added', 'changed', 'removed'])
/** The part of an event that is processed. */
export const storedUpdateSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), change: changeSchema, ids: idListSchema }),
  z.object({ kind: z.literal('person_renamed'), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('department'), change: changeSchema, ids: idListSchema }),
  z.object({ kind: z.literal('range') }),
  z.object({ kind: z.literal('app'), change: z.enum(['enabled', 'disabled', 'removed']) }),
])
export type StoredUpdate = z.infer<typeof storedUpdateSchema>
export const eventDetailSchema = z.record(z.string(), z.union([z.string(), z.number()]))
