/** Which message of a schema issue is shown to users: decided by its origin, not by its characters. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { allCalls } from '../../../server/contract/index.ts'
import { parseBySchema } from '../../../server/contract/parse-input.ts'

const item = z.object({ name: z.string('请填写姓名'), note: z.optional(z.string().check(z.maxLength(3))) })
const schema = z.object({ count: z.int().check(z.gte(1, 'At least 1')), items: z.optional(z.array(item)) })

describe('parseBySchema', () => {
  it('returns the parsed input', () => {
    expect(parseBySchema(schema, { count: 1, other: true })).toEqual({ data: { count: 1 }, issue: null })
  })

  it.each([
    ['a message that the schema states, in any language', { count: 0 }, 'count', 'At least 1'],
    ['a message stated for a type', { count: 1, items: [{ name: 2 }] }, 'items.0.name', '请填写姓名'],
    ['no message for a check without one', { count: 1, items: [{ name: '', note: 'long' }] }, 'items.0.note', null],
    ['no message for a missing field without one', {}, 'count', null],
    ['no message for input that is no object', 'text', '', null],
  ])('returns %s', (_, input, field, message) => {
    expect(parseBySchema(schema, input)).toMatchObject({ data: null, issue: { field, message } })
  })

  it('returns no message of a configured locale', () => {
    const { localeError } = z.config()
    z.config({ localeError: () => '库的消息' })
    try {
      expect(parseBySchema(schema, {}).issue?.message).toBeNull()
    } finally {
      z.config({ localeError })
    }
  })
})

/** Collects the messages that a schema and the schemas inside it state. */
function collectMessages(value: unknown, visited = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || visited.has(value)) return []
  visited.add(value)
  if (!('_zod' in value)) return Object.values(value).flatMap((inner) => collectMessages(inner, visited))
  const { def } = value._zod as { def: { error?: (issue: object) => unknown } }
  const message = def.error?.({})
  return [...(typeof message === 'string' ? [message] : []), ...collectMessages({ ...def }, visited)]
}

it('writes every stated input message of a call for users', () => {
  const messages = allCalls.flatMap(({ input }) => collectMessages(input))
  expect(messages.length).toBeGreaterThan(100)
  expect(messages.filter((message) => !/[\u4e00-\u9fff]/.test(message))).toEqual([])
})
