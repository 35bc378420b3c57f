/** Diagnosis of an installation before it goes live: whether the queue works and downloads arrive. Absent in production. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as contract from '../../contract/files/files.ts'
import { defineHandler } from '../../http/handler.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { newId } from '../../shared/ids.ts'
import { sendSample } from './sample-files.ts'

const timeoutMs = 5_000
const pollIntervalMs = 100

/** Idempotent: the job does nothing. */
export const registerDiagnosisJob = (jobs: JobQueue): void => jobs.register('observe', async () => undefined)

export const testObserver = defineHandler(contract.testObserver, { kind: 'external' }, async ({ database, jobs, signal }) => {
  const id = newId()
  const startedAt = performance.now()
  const getElapsedMs = () => Math.round(performance.now() - startedAt)
  await database.withoutCompany((tx) => jobs.send(tx, 'observe', {}, { id }))
  while (getElapsedMs() < timeoutMs && !signal.aborted) {
    if (await jobs.isDone('observe', id)) return { ok: true, round_trip_ms: getElapsedMs() }
    await sleep(pollIntervalMs)
  }
  return { ok: false, round_trip_ms: getElapsedMs() }
})

export const getFile = defineHandler(contract.getFile, { kind: 'external' }, async (ctx) => sendSample(ctx, 'wage'))
