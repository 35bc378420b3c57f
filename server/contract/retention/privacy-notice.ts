/** What an employee is told about the processing of their data (个人信息保护法, articles 17 and 30). Not in calls.md. */
import * as z from 'zod/mini'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, time } from '../shared/schemas.ts'
import { retentionKinds } from './retention.ts'

export const getPrivacyNotice = defineRead('POST /Api/Mobile/getPrivacyNotice', 'employee', {
  summary:
    'Returns who processes the data of the caller, how long each kind is stored (months; null: for as long as the law requires), and when the caller was shown it first. Records the display.',
  input: emptyObject,
  output: z.object({
    corp_name: z.string(),
    rules: z.record(z.enum(retentionKinds), z.nullable(z.int())),
    displayed_at: z.nullable(time),
    read_at: z.nullable(time),
  }),
})

export const confirmPrivacyNotice = defineChange('POST /Api/Mobile/confirmPrivacyNotice', 'employee', {
  summary: 'Records that the caller has read the notice; the first time counts.',
  allowedOnFullDisk: true,
  input: emptyObject,
  output: z.object({ read_at: time }),
})
