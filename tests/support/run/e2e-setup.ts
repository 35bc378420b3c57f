/** One server for all journeys of a run; each file has its own demo there (`journey/`), each worker a browser. */
import { getCounts, spareTime } from '../journey/demo.ts'
import { startServer } from './server.ts'

/** What the files of a run need. They are other processes, so it is passed in the environment. */
export type Stage = {
  address: string
  data: string
  signIns: { phone: string; password: string; text: string }[]
  /** The row counts of these users' companies (`getCounts`). */
  counts: string
}
export const stageVariable = 'XINHAN_TEST_STAGE'

export default async function setup(): Promise<() => Promise<void>> {
  // Each tab sends its own client address; nobody else can reach this server.
  const server = await startServer({ env: { XINHAN_TRUST_PROXY: '127.0.0.1' } })
  const { address, data, signIns } = server
  await spareTime(data, signIns)
  const counts = await getCounts(
    data,
    signIns.map(({ phone }) => phone),
  )
  const stage: Stage = { address, data, signIns: [...signIns], counts }
  process.env[stageVariable] = JSON.stringify(stage)
  return async () => {
    delete process.env[stageVariable]
    await server.stop()
    if (server.process.exitCode !== 0) throw new Error(`the server did not stop as it should:\n${server.output()}`)
  }
}
