/** The two diagnostic calls: for the system manager, and not in production. */

import { expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getFile, testObserver } from '../../../server/contract/files/files.ts'
import { demo } from '../../support/demo.ts'
import { startWorld } from '../../support/world.ts'

const { world, corp } = demo({ own: true })

it('runs a job through the queue', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  const roundTrip = async () => {
    const requested = head.must(testObserver)
    const back = requested.then(() => true)
    const drained = () => world.product.jobs.drain().then(() => false)
    // The job is executed whenever it is available.
    while (!(await Promise.race([back, drained()]))) continue
    return requested
  }
  let answer = await roundTrip()
  // The call gives up after five seconds, which a busy machine may need.
  while (!answer.ok) answer = await roundTrip()
  expect(answer).toEqual({ ok: true, round_trip_ms: expect.any(Number) })
})

it('returns a sample file as bytes', async () => {
  const head = await world.signIn(await corp.person({ power: ['4'] }))
  const { headers } = head
  const answer = await world.product.app.inject({ url: '/index/test/getFile', headers })
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': expect.stringContaining('spreadsheetml') })
  expect(answer.rawPayload.subarray(0, 2).toString()).toBe('PK')
  const clerk = await world.signIn(await corp.person({ power: ['1', '2', '3'] }))
  expect((await clerk.call(getFile)).code).toBe(errorCodes.not_permitted.code)
})

it('offers neither jobs nor sample files in production', async () => {
  const real = await startWorld({ production: true, public_api_docs: true })
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
