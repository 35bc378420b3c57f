/** How many messages are sent together, and how many calls run at once. */
import { expect, test } from 'vitest'
import { createSemaphore } from '../../../server/outbox/concurrency-slots.ts'
import { getNextStageSize } from '../../../server/outbox/rules/stage-size.ts'

const stages: [string, number, number, number][] = [
  ['doubles the concurrency after a very short time', 8, 20, 16],
  ['quadruples the concurrency after a quarter of that time', 8, 14, 32],
  ['never exceeds the maximum concurrency', 64, 5, 64],
  ['keeps the concurrency after a slightly longer time', 32, 90, 32],
  ['halves the concurrency after too long a time', 32, 200, 16],
  ['never falls below the minimum concurrency', 8, 20_000, 8],
  ['keeps at least the minimum after the last few messages of a slot', 3, 20, 8],
]
test.each(stages)('%s', (_, size, took_ms, next) => expect(getNextStageSize({ size, took_ms, min: 8, max: 64 })).toBe(next))

test('limits concurrency, keeps the order of arrival and frees the slot of a failed call', async () => {
  const places = createSemaphore(2)
  const [order, open]: [number[], (() => void)[]] = [[], []]
  const in_flight = { now: 0, most: 0 }
  const all = [1, 2, 3, 4, 5].map((one) =>
    places
      .run(async () => {
        in_flight.now += 1
        in_flight.most = Math.max(in_flight.most, in_flight.now)
        order.push(one)
        await new Promise<void>((done) => void open.push(done))
        in_flight.now -= 1
        if (one === 2) throw new Error('no')
      })
      .catch(() => undefined),
  )
  while (order.length < 5 || in_flight.now > 0) {
    open.shift()?.()
    await new Promise((done) => setImmediate(done))
  }
  await Promise.all(all)
  expect([order, in_flight.most]).toEqual([[1, 2, 3, 4, 5], 2])
})

test('refills slots that are freed in one turn of the event loop together afterwards', async () => {
  const places = createSemaphore(2)
  const [messages, open]: [string[], (() => void)[]] = [[], []]
  const all = [1, 2, 3, 4].map((one) =>
    places.run(async () => {
      messages.push(`${one} leaves`)
      await new Promise<void>((answer) => void open.push(answer))
      messages.push(`${one} is answered`)
    }),
  )
  while (messages.length < 8) {
    // Two responses arrive in one turn, each in a separate callback, as they come from the network.
    for (const answer of open.splice(0)) setImmediate(answer)
    await new Promise((done) => setImmediate(done))
  }
  await Promise.all(all)
  const [first, second] = [1, 3].map((one) => [one, one + 1].map((each) => `${each} leaves`))
  const answered = [1, 3].map((one) => [one, one + 1].map((each) => `${each} is answered`))
  expect(messages).toEqual([first, answered[0], second, answered[1]].flat())
})

test('runs groups in order: the next one starts when the last message of a group was sent, or when it fails', async () => {
  const places = createSemaphore(8)
  const messages: string[] = []
  const group = (name: string, work: (next: () => void) => Promise<void>) =>
    places.runInOrder(async (next) => {
      messages.push(`${name} begins`)
      await work(next)
      messages.push(`${name} ends`)
    })
  const rotate = () => new Promise<void>((done) => setImmediate(done))
  const first = group('first', async (next) => {
    await rotate()
    messages.push('all on their way')
    next()
    await rotate()
    await rotate()
  })
  const second = group('second', async () => {
    throw new Error('no')
  })
  const third = group('third', rotate)
  await expect(second).rejects.toThrow('no')
  await Promise.all([first, third])
  const [firstBegins, ...more] = messages
  expect([firstBegins, more[0], more[1], more[2]]).toEqual(['first begins', 'all on their way', 'second begins', 'third begins'])
})
