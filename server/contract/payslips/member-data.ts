/** A copy of all data of one member, where the person asks the company for it. Not in calls.md. */
import * as z from 'zod/mini'
import type { CallAccess } from '../access.ts'
import { defineView } from '../call.ts'
import { id } from '../shared/schemas.ts'

const systemAdmins: CallAccess = { powers: ['4'], companyType: 'normal' }

export const exportMemberData = defineView('POST /api/Member/exportMemberData', systemAdmins, {
  summary:
    'Exports all data that the company stores about one member as a .zip, after a proof of identity. Returns a download ticket.',
  rateLimit: 'costly',
  input: z.object({ id }),
  output: z.object({ oss_path: z.string(), file_name: z.string(), slips: z.int() }),
  errors: ['not_found', 'view_locked'],
})
