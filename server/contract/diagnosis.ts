/** For whoever looks after an installation that is not in use yet; absent in production. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { holders } from './who.ts'
import { nothing } from './words.ts'

const diagnosis = {
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
