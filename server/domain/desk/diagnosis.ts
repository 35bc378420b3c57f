/** For whoever looks after an installation that is not in use yet: does the queue work, do downloads arrive. Absent in production. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as contract from '../../contract/corp/desk.ts'
import { handleOutside } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import { sendSample } from './samples.ts'

const patience_ms = 5_000
const look_ms = 100

/** Doing this job twice is harmless: it does nothing. */
export const openDiagnosis = (jobs: Jobs): void => jobs.on('observe', async () => undefined)

export const testObserver = handleOutside(contract.testObserver, async ({ database, jobs, signal }) => {
  const id = newId()
  const began = performance.now()
  const passed = () => Math.round(performance.now() - began)
  await database.outside((tx) => jobs.send(tx, 'observe', {}, { id }))
  while (passed() < patience_ms && !signal.aborted) {
    if (await jobs.isDone('observe', id)) return { ok: true, round_trip_ms: passed() }
    await sleep(look_ms)
  }
  return { ok: false, round_trip_ms: passed() }
})

export const getFile = handleOutside(contract.getFile, async (ctx) => sendSample(ctx, 'wage'))
