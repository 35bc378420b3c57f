/** The demo is founded once for a whole run of the journeys; every server goes on with a copy of it. */
import { rmSync } from 'node:fs'
import { startServer } from './server.ts'

export default async function setup(): Promise<() => void> {
  const server = await startServer()
  await server.stop({ keep: true })
  process.env.XINHAN_TEST_DEMO = server.data
  return () => rmSync(server.data, { recursive: true, force: true })
}
