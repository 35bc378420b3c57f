/** Refetching after a mutation: a response requested before the mutation never counts as one from after it. */
import { type MutationMeta, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getCurrentEmployee } from '../../server/contract/payslips/employee.ts'
import type * as Api from '../../src/api.ts'
import { standIn } from '../support/callers/stand-in.ts'

let client: typeof Api
/** Pending requests in the order in which they were made. */
let open: ((answer: string) => void)[]
const question = { queryKey: ['bound'], queryFn: () => new Promise<string>((answer) => open.push(answer)) }

beforeEach(async () => {
  standIn(() => 'http://127.0.0.1')
  vi.resetModules()
  open = []
  client = await import('../../src/api.ts')
})
afterEach(() => void vi.unstubAllGlobals())

it.each([
  ['observed', true],
  ['pending', false],
])('repeats the first request, %s, and returns the later response to all waiting callers', async (_, isLookedAt) => {
  const requested = client.queryClient.fetchQuery(question)
  const view = isLookedAt ? new QueryObserver(client.queryClient, question).subscribe(() => undefined) : () => undefined
  void client.refreshQueries()
  expect(open).toHaveLength(2)
  open[1]?.('after')
  open[0]?.('before')
  expect([await requested, client.queryClient.getQueryData(question.queryKey)]).toEqual(['after', 'after'])
  view()
})

it('refetches a query that has data and is observed', async () => {
  client.queryClient.setQueryData(question.queryKey, 'before')
  const view = new QueryObserver(client.queryClient, { ...question, staleTime: 60_000 }).subscribe(() => undefined)
  const renewed = client.refreshQueries()
  expect(open).toHaveLength(1)
  open[0]?.('after')
  await renewed
  expect(client.queryClient.getQueryData(question.queryKey)).toBe('after')
  view()
})

it('leaves unrelated queries alone', () => {
  const requested = client.queryClient.fetchQuery(question)
  void client.refreshQueries(({ queryKey }) => queryKey[0] !== 'bound')
  expect(open).toHaveLength(1)
  open[0]?.('before')
  return expect(requested).resolves.toBe('before')
})

it('refetches after a mutation only what it affects, if that is stated', () => {
  const affected = { ...question, queryKey: [client.toQueryName(getCurrentEmployee), {}] }
  client.queryClient.setQueryData(question.queryKey, 'before')
  client.queryClient.setQueryData(affected.queryKey, 'before')
  const notify = (meta: MutationMeta) =>
    client.queryClient.getMutationCache().config.onSuccess?.(null, null, null, { meta } as never, {} as never)
  const isStale = () => [affected, question].map(({ queryKey }) => client.queryClient.getQueryState(queryKey)?.isInvalidated)
  void notify({ affects: [getCurrentEmployee] })
  expect(isStale()).toEqual([true, false])
  void notify({})
  expect(isStale()).toEqual([true, true])
})
