/** Downloads, uploads and sample files. calls.md §2. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { emptyObject, id } from '../shared/schemas.ts'

export const getImportSampleFile = defineCall('GET /api/member/getImportSampleFile', {
  summary: 'Downloads the guide (.pdf) or a sample file (.xlsx).',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  responseType: 'bytes',
  input: z.object({ type: z.enum(['help', 'member', 'wage']), page: z.optional(z.string().check(z.maxLength(20))) }),
  output: emptyObject,
  errors: [],
})

export const getDownloadTicket = defineCall('POST /api/index/getDownloadTicket', {
  summary: 'Issues a ticket for one file, valid once for 60 seconds and only together with the session cookie.',
  access: 'signed_in',
  idempotent: false,
  audit: 'view',
  rateLimit: 'costly',
  input: z.object({ file_id: id }),
  output: z.object({ oss_path: z.string(), file_name: z.string() }),
  errors: ['not_found'],
})

export const download = defineCall('GET /api/index/download', {
  summary: 'Downloads the file of a ticket. A navigation cannot send `user-token`, so ticket and cookie replace it.',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  responseType: 'bytes',
  input: z.object({ oss_path: z.string().check(z.maxLength(100)), file_name: z.optional(z.string().check(z.maxLength(200))) }),
  output: emptyObject,
  errors: ['not_found'],
})

const uploadCallBase = {
  access: 'signed_in',
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  requestType: 'file',
  /** `question`: a PNG for feedback about a payslip or its answer, of at most 1,600 × 1,600 pixels. */
  input: z.object({ for: z.optional(z.literal('question')) }),
  /** `oss_path`: a ticket for `download`, as returned by `getDownloadTicket`. */
  output: z.object({ file_id: id, oss_path: z.string(), file_name: z.string(), size: z.int() }),
  errors: ['too_often'],
} as const

export const uploadFile = defineCall('POST /Api/Upload/Upload', {
  summary:
    'Uploads a file for a later call: a PNG of at most 256 × 256, re-encoded, or (power 2) a wage sheet. Unused files are deleted after a day.',
  ...uploadCallBase,
})
export const uploadFileAlias = defineCall('POST /api/index/uploadFile', {
  summary: 'Does the same as `Upload`, under its other path.',
  ...uploadCallBase,
})

const diagnosticCallBase = {
  diagnosticOnly: true,
  access: requirePower('4'),
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  errors: [],
} as const
export const testObserver = defineCall('POST /api/Test/testObserver', {
  summary: 'Diagnosis, absent in production: sends a job through the queue and returns whether it came back, and after how long.',
  ...diagnosticCallBase,
  input: emptyObject,
  output: z.object({ ok: z.boolean(), round_trip_ms: z.int() }),
})
export const getFile = defineCall('GET /index/test/getFile', {
  summary: 'Diagnosis, absent in production: returns a sample file to test downloads.',
  ...diagnosticCallBase,
  responseType: 'bytes',
  input: emptyObject,
  output: emptyObject,
})
