/** Downloads, uploads and sample files. calls.md §2. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { emptyObject, id } from '../shared/schemas.ts'

export const getImportSampleFile = defineRead('GET /api/member/getImportSampleFile', 'public', {
  summary: 'Downloads the guide (.pdf) or a sample file (.xlsx).',
  rateLimit: 'costly',
  responseType: 'bytes',
  input: z.object({
    type: z.enum(['help', 'member', 'wage', 'insurance', 'income']),
    page: z.optional(z.string().check(z.maxLength(20))),
  }),
  output: emptyObject,
})

export const getDownloadTicket = defineView('POST /api/index/getDownloadTicket', 'signed_in', {
  summary: 'Issues a ticket for one file, valid once for 60 seconds and only together with the session cookie.',
  rateLimit: 'costly',
  input: z.object({ file_id: id }),
  output: z.object({ oss_path: z.string(), file_name: z.string() }),
  errors: ['not_found'],
})

export const download = defineRead('GET /api/index/download', 'public', {
  summary: 'Downloads the file of a ticket. A navigation cannot send `user-token`, so ticket and cookie replace it.',
  rateLimit: 'costly',
  responseType: 'bytes',
  input: z.object({ oss_path: z.string().check(z.maxLength(100)), file_name: z.optional(z.string().check(z.maxLength(200))) }),
  output: emptyObject,
  errors: ['not_found'],
})

const uploadCallBase = {
  rateLimit: 'costly',
  requestType: 'file',
  /** `question`: a PNG for feedback about a payslip or its answer, of at most 1,600 × 1,600 pixels. */
  input: z.object({ for: z.optional(z.literal('question')) }),
  /** `oss_path` is a ticket for `download`, as returned by `getDownloadTicket`. */
  output: z.object({ file_id: id, oss_path: z.string(), file_name: z.string(), size: z.int() }),
  errors: ['too_often'],
} as const

export const uploadFile = defineChange('POST /Api/Upload/Upload', 'signed_in', {
  summary:
    'Uploads a file for a later call: a PNG of at most 256 × 256, re-encoded, or (power 2) a wage sheet. Unused files are deleted after a day.',
  ...uploadCallBase,
})
export const uploadFileAlias = defineChange('POST /api/index/uploadFile', 'signed_in', {
  summary: 'Does the same as `Upload`, under its other path.',
  ...uploadCallBase,
})

const diagnosticCallBase = {
  diagnosticOnly: true,
  rateLimit: 'costly',
} as const
export const testObserver = defineRead('POST /api/Test/testObserver', requirePower('4'), {
  summary: 'Diagnosis, absent in production: sends a job through the queue and returns whether it came back, and after how long.',
  ...diagnosticCallBase,
  input: emptyObject,
  output: z.object({ ok: z.boolean(), round_trip_ms: z.int() }),
})
export const getFile = defineRead('GET /index/test/getFile', requirePower('4'), {
  summary: 'Diagnosis, absent in production: returns a sample file to test downloads.',
  ...diagnosticCallBase,
  responseType: 'bytes',
  input: emptyObject,
  output: emptyObject,
})
