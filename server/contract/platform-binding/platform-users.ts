/**
 * Users of a platform that hides their names: found by name search, chosen in the platform's client, or listed in a
 * file into which the platform writes the names.
 */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { emptyObject, id } from '../shared/schemas.ts'

/** A platform user as an administrator sees them. */
export const platformUser = {
  platform_user_id: z.string(),
  /** '' where the platform does not provide it. */
  name: z.string(),
  /** Masked. */
  mobile: z.string(),
  employee_no: z.string(),
  /** Search is by name where the platform provides names, and always by id. */
  departments: z.array(z.string()),
  department_ids: z.array(z.string()),
}
/** `proved`: the user signed in; `chosen`: by an administrator; `matched`: by name together with number or phone. */
export const linkMethod = z.enum(['proved', 'chosen', 'matched'])
export const linkCandidate = z.object({
  member_id: id,
  name: z.string(),
  mobile: z.string(),
  employee_no: z.string(),
  departments: z.array(z.string()),
})

const heads = requirePowerAnywhere('1')

export const searchPlatformUsers = defineChange('POST /api/Corp/searchColleagues', heads, {
  summary:
    'Searches the platform for users with the names of unmatched roster members. Hits become suggestions for a user to decide. For platforms that hide names.',
  idempotent: false,
  rateLimit: 'costly',
  input: emptyObject,
  /** `searched`: names searched for; `matched`: platform users found; `remaining`: names left for another time. */
  output: z.object({ searched: z.int(), matched: z.int(), remaining: z.int() }),
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const resolvePlatformUser = defineRead('POST /api/Corp/resolveColleague', heads, {
  summary: "Resolves a platform user selected in the client's own picker, and returns the member they are matched to so far.",
  input: z.object({
    /** The selection as the platform's client returned it. */
    ticket: z.string().check(z.minLength(1, '没有选人'), z.maxLength(600)),
    user_id: z.string().check(z.minLength(1, '没有选人，或所选的人不在应用的可见范围内'), z.maxLength(128)),
  }),
  output: z.object({
    platform_user: z.object(platformUser),
    linked_by: z.nullable(linkMethod),
    linked_to: z.nullable(linkCandidate),
  }),
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const exportPlatformUsers = defineView('POST /api/Corp/exportColleagues', heads, {
  summary:
    'Exports all platform users with their matched members as a spreadsheet. Where names are hidden the platform fills them in; `job` is then the id to ask for the file.',
  rateLimit: 'costly',
  input: emptyObject,
  output: z.object({ oss_path: z.nullable(z.string()), file_name: z.string(), rows: z.int(), job_id: z.nullable(z.string()) }),
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})

export const getPlatformUserExport = defineRead('POST /api/Corp/getColleaguesFile', heads, {
  summary:
    'Returns the address of the spreadsheet with names: on the platform itself, for a day, for company users signed in there in the same browser. Null: not ready yet.',
  isPolling: true,
  input: z.object({ job: z.string().check(z.minLength(1), z.maxLength(600)) }),
  output: z.object({ url: z.nullable(z.string()) }),
  errors: ['not_found', 'wrong_state', 'platform_refused'],
})
