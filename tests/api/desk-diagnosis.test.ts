/** The two diagnostic calls: for the system manager, and not in production. */
import { expect, it } from 'vitest'
import { errorCodes } from '../../server/contract/errors.ts'
import { getFile, testObserver } from '../../server/contract/notifications/notifications.ts'
import { demo } from '../support/demo.ts'
import { startWorld } from '../support/world.ts'

const { world, corp } = demo({ own: true })

it('a job goes through the queue and comes back', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  const roundTrip = async () => {
    const requested = head.must(testObserver)
    const back = requested.then(() => true)
    const drained = () => world.product.jobs.drain().then(() => false)
    // Whenever the job is there, it is done.
    while (!(await Promise.race([back, drained()]))) continue
    return requested
  }
  let answer = await roundTrip()
  // It says no after five seconds, which a machine with other work may need.
  while (!answer.ok) answer = await roundTrip()
  expect(answer).toEqual({ ok: true, round_trip_ms: expect.any(Number) })
})

it('a sample file comes as bytes', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  const { headers } = head
  const answer = await world.product.app.inject({ url: '/index/test/getFile', headers })
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': expect.stringContaining('spreadsheetml') })
  expect(answer.rawPayload.subarray(0, 2).toString()).toBe('PK')
  const clerk = await world.signIn(await corp.person({ power: ['1', '2', '3'] }))
  expect((await clerk.call(getFile)).code).toBe(errorCodes.not_permitted.code)
})

it('in production there is neither', async () => {
  const real = await startWorld({ production: true })
  try {
    const { app } = real.product
    for (const [method, url] of [
      ['POST', '/api/Test/testObserver'],
      ['GET', '/index/test/getFile'],
    ] as const)
      expect((await app.inject({ method, url, ...(method === 'POST' ? { payload: {} } : {}) })).statusCode, url).toBe(404)
    expect((await app.inject({ url: '/api/openapi.json' })).body).not.toMatch(/testObserver|test\/getFile/)
  } finally {
    await real.close()
  }
})
