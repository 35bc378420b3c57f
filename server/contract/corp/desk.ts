/** Notices, downloads, the sample files: what lies on the desk. calls.md §2. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { noticeKinds } from '../people/notices.ts'
import { holders } from '../who.ts'
import { id, listOf, nothing, pageInput, time } from '../words/words.ts'

export const getNoticeList = call('POST /api/Notice/getNoticeList', {
  does: 'My notices, newest first',
  who: 'admin',
  once: false,
  audit: 'none',
  input: z.object({ ...pageInput }),
  output: listOf(
    z.object({
      id,
      kind: z.enum(noticeKinds),
      text: z.string(),
      batch_id: z.nullable(id),
      created_at: time,
      read: z.boolean(),
    }),
  ),
  refuses: [],
})

export const read = call('POST /api/Notice/read', {
  does: 'Mark notices as read; or say that I have been at the desk (seen), which puts the red dot out and leaves them unread',
  who: 'admin',
  once: false,
  audit: 'none',
  input: z.object({
    ids: z.optional(z.array(id).check(z.maxLength(100))),
    all: z.optional(z.boolean()),
    seen: z.optional(z.boolean()),
  }),
  output: nothing,
  refuses: [],
})

export const getImportSampleFile = call('GET /api/member/getImportSampleFile', {
  does: 'The guide (.pdf) and the sample sheets (.xlsx)',
  who: 'public',
  once: false,
  audit: 'none',
  rate: 'costly',
  gives: 'bytes',
  input: z.object({ type: z.enum(['help', 'member', 'wage']), page: z.optional(z.string().check(z.maxLength(20))) }),
  output: nothing,
  refuses: [],
})

export const getDownloadTicket = call('POST /api/index/getDownloadTicket', {
  does: 'A ticket for one file: 60 seconds, once, together with the session cookie',
  who: 'signed_in',
  once: false,
  audit: 'view',
  rate: 'costly',
  input: z.object({ file_id: id }),
  output: z.object({ oss_path: z.string(), file_name: z.string() }),
  refuses: ['not_found'],
})

export const download = call('GET /api/index/download', {
  does: 'The bytes of a file, for a ticket. A navigation cannot carry user-token, so the ticket and the cookie stand for it',
  who: 'public',
  once: false,
  audit: 'none',
  rate: 'costly',
  gives: 'bytes',
  input: z.object({ oss_path: z.string().check(z.maxLength(100)), file_name: z.optional(z.string().check(z.maxLength(200))) }),
  output: nothing,
  refuses: ['not_found'],
})

const sent = {
  who: 'signed_in',
  once: true,
  audit: 'change',
  rate: 'costly',
  takes: 'file',
  /** `question`: a PNG for a question about a slip or its answer, of at most 1,600 × 1,600. */
  input: z.object({ for: z.optional(z.literal('question')) }),
  /** `oss_path`: a ticket for `download`, as of `getDownloadTicket`. */
  output: z.object({ file_id: id, oss_path: z.string(), file_name: z.string(), size: z.int() }),
  refuses: ['too_often'],
} as const

export const Upload = call('POST /Api/Upload/Upload', {
  does: 'Send a file ahead of the call that uses it: a PNG of at most 256 × 256, drawn anew, or (power 2) a sheet. Unused, it goes in a day',
  ...sent,
})
export const uploadFile = call('POST /api/index/uploadFile', { does: 'The same as Upload, under its other path', ...sent })

const diagnosis = {
  diagnosis: true,
  who: holders('4'),
  once: false,
  audit: 'none',
  rate: 'costly',
  refuses: [],
} as const
export const testObserver = call('POST /api/Test/testObserver', {
  does: 'Diagnosis, absent in production: sends a job through the queue and says whether it came back, and after how long',
  ...diagnosis,
  input: nothing,
  output: z.object({ ok: z.boolean(), round_trip_ms: z.int() }),
})
export const getFile = call('GET /index/test/getFile', {
  does: 'Diagnosis, absent in production: a sample file, to try downloads with',
  ...diagnosis,
  gives: 'bytes',
  input: nothing,
  output: nothing,
})
