/** Evidence package of a period. Beyond calls.md; the reason is in openapi.ts. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineView } from '../call.ts'
import { id, month } from '../shared/schemas.ts'
import { paperOptions } from './send.ts'

/** Ten years: longer than any period in which pay can be claimed in court. */
export const maxMonths = 120

export const exportEvidencePackage = defineView('POST /api/wage/exportEvidence', requirePower('2'), {
  summary:
    "Starts an evidence package of one member over several months, or of all members within the caller's scope. `getExportStatus` returns its progress.",
  idempotent: true,
  rateLimit: 'costly',
  /** Both months are inclusive; no `member_id`: all members. `evidence` verifies offline (docs/evidence.md), `paper` prints. */
  input: z.object({
    from: month,
    to: month,
    member_id: z.optional(id),
    what: z.enum(['evidence', 'paper']),
    paper: z.optional(paperOptions),
  }),
  output: z.object({ job_id: id }),
  errors: ['not_found', 'wrong_state', 'view_locked'],
})
