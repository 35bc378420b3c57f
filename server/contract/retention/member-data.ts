/** What a person asks the company for: a copy of their data, and its deletion (个人信息保护法, articles 45 and 47). */
import * as z from 'zod/mini'
import type { CallAccess } from '../access.ts'
import { defineChange } from '../call.ts'
import { id } from '../shared/schemas.ts'

const systemAdmins: CallAccess = { powers: ['4'], companyType: 'normal' }

/** What the law keeps of a terminated member, and by which law. */
export const storedByLaw = ['payslips', 'tax_basis', 'tax_results', 'roster'] as const
export type StoredByLaw = (typeof storedByLaw)[number]

export const eraseMemberData = defineChange('POST /api/Member/eraseMemberData', systemAdmins, {
  summary:
    'Deletes what no law demands of one terminated member, after a proof of identity; returns what is stored further, and until when.',
  input: z.object({ id }),
  output: z.object({
    stored: z.array(z.object({ kind: z.enum(storedByLaw), until: z.iso.date() })),
  }),
  errors: ['not_found', 'wrong_state', 'view_locked'],
})
