/** What lies in columns of JSON, read strictly. */
import * as z from 'zod/mini'
import { appProblem } from '../../contract/people/binding.ts'
import type { SeenColleague, ToldPerson } from './rules/compare.ts'

const known = z._default(z.string(), '')
export const seenPerson: z.ZodMiniType<SeenColleague> = z.object({
  user_id: z.string(),
  name: known,
  mobile: known,
  employee_no: known,
  email: known,
  job_title: known,
  departments: z.array(z.string()),
  main_department: known,
  leads: z.array(z.string()),
  sort: z.record(z.string(), z.number()),
  status: z.enum(['active', 'not_joined', 'frozen']),
})
const text = z.nullable(z.string())
export const toldPerson: z.ZodMiniType<Omit<ToldPerson, 'places'>> = z.object({
  user_id: z.string(),
  name: text,
  mobile: text,
  employee_no: text,
  email: text,
  job_title: text,
  department_ids: z.nullable(z.array(z.string())),
  main_department_id: text,
  leads: z.nullable(z.array(z.string())),
  sort: z.record(z.string(), z.number()),
  status: z.enum(['active', 'not_joined', 'frozen', 'left']),
})
export const toldDepartment = z.object({
  id: z.string(),
  parent_id: text,
  name: text,
  sort: z.nullable(z.number()),
  leader_ids: z.array(z.string()),
})
export const appProblems = z.array(appProblem)
export const visibleRange = z.nullable(
  z.object({ whole: z.boolean(), department_ids: z.array(z.string()), user_ids: z.array(z.string()) }),
)
const ids = z.array(z.string())
const change = z.enum(['added', 'changed', 'removed'])
/** What of an event is worked on. */
export const keptNews = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), change, ids }),
  z.object({ kind: z.literal('person_renamed'), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('department'), change, ids }),
  z.object({ kind: z.literal('range') }),
  z.object({ kind: z.literal('app'), change: z.enum(['enabled', 'disabled', 'removed']) }),
])
export type KeptNews = z.infer<typeof keptNews>
export const eventDetail = z.record(z.string(), z.union([z.string(), z.number()]))
