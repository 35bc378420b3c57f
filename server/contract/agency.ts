/** Agencies that serve many companies. calls.md §11. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { id, listOf, nothing, pageInput, time } from './words.ts'

export const getCorpList = call('POST /api/agency/getCorpList', {
  does: 'The companies this agency serves',
  who: { powers: ['1', '2'], corp: 'agency' },
  once: false,
  audit: 'none',
  input: nothing,
  output: z.object({ list: z.array(z.object({ corp_id: id, name: z.string(), since: time })) }),
  refuses: [],
})

const newsKinds = ['strategic', 'agency'] as const
const anyAdmin = { powers: ['1', '2', '3'], corp: 'any' } as const

export const getNewsList = call('POST /api/agency/getNewsList', {
  does: 'News, the newest first',
  who: anyAdmin,
  once: false,
  audit: 'none',
  input: z.object({ kind: z.optional(z.enum(newsKinds)), ...pageInput }),
  output: listOf(z.object({ id: z.string(), kind: z.enum(newsKinds), title: z.string(), summary: z.string(), at: z.iso.date() })),
  refuses: [],
})

export const getNewsDetail = call('POST /api/agency/getNewsDetail', {
  does: 'One piece of news: its paragraphs',
  who: anyAdmin,
  once: false,
  audit: 'none',
  input: z.object({ id: z.string().check(z.maxLength(60)) }),
  output: z.object({
    id: z.string(),
    kind: z.enum(newsKinds),
    title: z.string(),
    at: z.iso.date(),
    paragraphs: z.array(z.string()),
  }),
  refuses: ['not_found'],
})

export const todoKinds = ['approval', 'join', 'draft', 'failed', 'feedback', 'unviewed'] as const

export const getTodoList = call('POST /api/agency/getTodoList', {
  does: 'What waits for my hand, within my powers',
  who: anyAdmin,
  once: false,
  audit: 'none',
  input: nothing,
  output: z.object({
    list: z.array(z.object({ kind: z.enum(todoKinds), count: z.int(), batch_id: z.nullable(id) })),
  }),
  refuses: [],
})
