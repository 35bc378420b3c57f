/** Tokens of a platform application, shared by independent servers. */
import { expect, test } from 'vitest'
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { Simulator } from '../../../platform/simulator/index.ts'
import { createTokenStore } from '../../../server/shared/platform-token-store.ts'
import { demo } from '../../support/demo.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'

const { world } = demo()

test('requests one token for two servers, another one when it expires, and stores it encrypted', async () => {
  const simulator = new Simulator()
  const hosts = getSimulatorHosts(await simulator.listen())
  const { app, both } = chatCompany(simulator, 'wecom')
  const nodes = [1, 2].map(() => createPlatforms({ hosts, store: createTokenStore(world.database, world.secrets) }))
  const request = () => simulator.calls.filter((one) => one.endsWith('/gettoken')).length
  const all = () =>
    Promise.all(nodes.flatMap(({ wecom }) => Array.from({ length: 5 }, () => wecom.directory.getUser(app, both.user_id))))
  try {
    await all()
    expect(request()).toBe(1)
    simulator.expireTokens('wecom')
    expect((await all()).map((one) => one?.name)).toEqual(Array.from({ length: 10 }, () => '张三'))
    expect(request()).toBe(2)
    // A server that starts later requests no token.
    const later = createPlatforms({ hosts, store: createTokenStore(world.database, world.secrets) })
    await later.wecom.directory.getUser(app, both.user_id)
    expect(request()).toBe(2)
    const rows = await world.database.pool.query('select key, sealed from platform_token')
    expect(rows.rows.length).toBe(1)
    expect(JSON.stringify(rows.rows)).not.toContain(app.secret)
  } finally {
    await simulator.close()
  }
})

test('does not wait longer than the lease for a server that died while requesting a token', async () => {
  const store = createTokenStore(world.database, world.secrets)
  const began = performance.now()
  await world.database.pool.query(
    `insert into platform_token (key, asking, requested_until) values ('dead', gen_random_uuid(), now() + interval '200 ms')`,
  )
  expect(await store.withLock('dead', async () => 'asked')).toBe('asked')
  expect(performance.now() - began).toBeGreaterThan(100)
})
