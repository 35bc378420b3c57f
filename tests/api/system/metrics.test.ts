/** Metrics and the log of requests: what the documentation, the dashboard and the alert rules name is exposed. */
import { spawnSync } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { mkdtempSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { login } from '../../../server/contract/auth/sign-in.ts'
import { rotateLog } from '../../../server/database/postgres/start.ts'
import { demoWorld } from '../../support/demo.ts'

const world = demoWorld(true)
const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')
const getMetrics = async (): Promise<string> => (await world.product.app.inject({ method: 'GET', url: '/metrics' })).body
const listExposed = async (): Promise<string[]> =>
  [...(await getMetrics()).matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name).sort()

const findMetrics = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b((?:xinhan|process|nodejs)_\w+?)(?:_bucket|_sum|_count)?\b/g)].map(([, name = '']) => name)),
]

describe('the metrics', () => {
  it.each(['monitoring.md', 'monitoring.zh-CN.md'])('are explained one by one in %s', async (page) => {
    const explained = [...read(`docs/operations/${page}`).matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(([, name = '']) => name)
    expect(explained.sort()).toEqual(await listExposed())
  })

  it.each(['alerts.yml', 'dashboard.json'])('contain every one that deploy/monitoring/%s names', async (file) => {
    const text = file.endsWith('.json')
      ? JSON.stringify(JSON.parse(read(`deploy/monitoring/${file}`)))
      : read(`deploy/monitoring/${file}`)
    const named = findMetrics(text)
    expect(named.length).toBeGreaterThan(6)
    const exposed = await listExposed()
    expect(named.filter((name) => !exposed.includes(name))).toEqual([])
  })

  it('count a refused call by its error, and its duration in a bucket', async () => {
    await world.anybody.call(login, { phone: '13912345678', password: 'not the password' })
    const text = await getMetrics()
    expect(text).toContain(`xinhan_request_errors_total{route="${login.path}",error="wrong_password"} 1`)
    expect(text).toContain(`xinhan_request_duration_seconds_bucket{route="${login.path}",method="POST",status="200",le="+Inf"} 1`)
    expect(text).toContain('xinhan_database_up 1')
    expect(text).toMatch(/xinhan_pool_max_connections \d+\n/)
    expect(text).not.toContain('13912345678')
  })

  it('count messages by channel and outcome, and failed jobs', async () => {
    channel('xinhan:message-outcome').publish({ channel: 'sms', outcome: 'failed' })
    channel('xinhan:job-failure').publish({ job: 'some job' })
    const text = await getMetrics()
    expect(text).toContain('xinhan_messages_total{channel="sms",outcome="failed"} 1\n')
    expect(text).toContain('xinhan_job_failures_total{job="some job"} 1\n')
  })

  it('are valid for Prometheus, and so are the alert rules', async ({ skip }) => {
    const hasPromtool = spawnSync('promtool', ['--version']).status === 0
    if (!hasPromtool) skip('promtool (Debian package prometheus) is not installed')
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await getMetrics(), encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    const cwd = join(import.meta.dirname, '../../..')
    expect(spawnSync('promtool', ['check', 'rules', 'deploy/monitoring/alerts.yml'], { cwd }).status).toBe(0)
    const tested = spawnSync('promtool', ['test', 'rules', 'tests/api/system/alerts.promtool.yml'], { cwd, encoding: 'utf8' })
    expect([tested.status, tested.stderr]).toEqual([0, ''])
  })
})

it('rotates the log of the embedded database while it is open', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'xinhan-log-')), 'postgres.log')
  writeFileSync(file, 'x'.repeat(5_000_001))
  const open = openSync(file, 'a')
  rotateLog(file)
  writeSync(open, 'a later line\n')
  expect([statSync(`${file}.1`).size, readFileSync(file, 'utf8')]).toEqual([5_000_001, 'a later line\n'])
  rotateLog(file)
  expect(readFileSync(file, 'utf8')).toBe('a later line\n')
})
