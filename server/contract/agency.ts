/** Agencies that serve many companies. calls.md §11. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { id, nothing, time } from './words.ts'

export const getCorpList = call('POST /api/agency/getCorpList', {
  does: 'The companies this agency serves',
  who: { powers: ['1', '2'], corp: 'agency' },
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: nothing,
  output: z.object({ list: z.array(z.object({ corp_id: id, name: z.string(), since: time })) }),
  refuses: [],
})
