import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { isBusy } from '../../server/runtime/data/busy.ts'

const failure = (pool: Pool) =>
  pool.connect().then(
    () => new Error('connected'),
    (error: Error) => error,
  )

/** A database so busy that it takes the call and says nothing. */
it('a connection that cannot be opened, or is not free, in time is no fault of ours', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((done) => void silent.listen(0, '127.0.0.1', done))
  const pool = new Pool({ host: '127.0.0.1', port: (silent.address() as AddressInfo).port, connectionTimeoutMillis: 50, max: 1 })
  const [opened, waited] = await Promise.all([failure(pool), failure(pool)])
  expect([opened, waited].map((error) => `${isBusy(error)}: ${error.message}`)).toEqual([
    'true: Connection terminated due to connection timeout',
    'true: timeout exceeded when trying to connect',
  ])
  await pool.end()
  silent.close()
})

it.each([
  ['a wrong password', { code: '28P01', message: 'password authentication failed' }, false],
  ['a key that stands', { code: '23505', message: 'duplicate key' }, false],
  ['a deadlock', { code: '40P01', message: 'deadlock detected' }, true],
  ['a lock that was not given', { code: '55P03', message: 'canceling statement due to lock timeout' }, true],
])('%s', (_, error, busy) => expect(isBusy(error)).toBe(busy))
