/**
 * Runs the simulators as a separate program (`npm run simulators`), so that a test's own process measures only the
 * product.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { PlatformHosts } from '../../../platform/chat/adapter-module.ts'
import type { WorldSize } from '../../../platform/simulator/world.ts'

export type SimulatorProgram = {
  readonly hosts: PlatformHosts
  /** Returns the calls of all three, such as `GET /lark/open-apis/…`. */
  calls(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Starts the simulators without rate limits. */
export async function startSimulators({ people, departments, origin }: WorldSize): Promise<SimulatorProgram> {
  const anywhere = ['--lark', '0', '--wecom', '0', '--dingtalk', '0', '--no-limits']
  const size = ['--people', String(people), '--departments', String(departments), '--origin', origin]
  const child = spawn(process.execPath, ['platform/simulator/main.ts', ...anywhere, ...size], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 3) break
  child.stdout.resume()
  const [lark = '', wecom = '', dingtalk = ''] = lines.map((line) => /http:\/\/[\d.:]+/.exec(line)?.[0] ?? '')
  return {
    hosts: {
      lark: { api: lark, accounts: lark, pages: lark },
      wecom: { api: wecom, open: wecom, login: wecom, install: wecom },
      dingtalk: { oapi: dingtalk, api: dingtalk, login: dingtalk },
    },
    async calls() {
      const { done } = await (await fetch(`${lark}/_/control/calls`, { method: 'POST', body: '{}' })).json()
      return done
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
