/**
 * `npm run simulators` as a process: starts, prints its addresses, serves the platforms' paths, obeys its controls,
 * ends.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'

it('prints three addresses, obeys controls, serves an inbox and ends', async () => {
  const args = [
    'platform/simulator/main.ts',
    '--lark',
    '0',
    '--wecom',
    '0',
    '--dingtalk',
    '0',
    '--people',
    '30',
    '--departments',
    '3',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  try {
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 3) break
    const [lark = '', wecom = '', dingtalk = ''] = lines.map((line) => /http:\/\/[\d.:]+/.exec(line)?.[0] ?? '')
    const json = async (url: string, body?: object) =>
      (
        await fetch(
          url,
          body ? { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {},
        )
      ).json()
    const provided = await json(`${wecom}/cgi-bin/gettoken?corpid=ww1a2b3c4d5e6f7081&corpsecret=simulated-secret-wecom`)
    expect(provided).toMatchObject({ errcode: 0, expires_in: 7200 })
    const me = `${wecom}/cgi-bin/user/get?access_token=${provided.access_token}&userid=SIM00001`
    const before = await json(me)
    expect(before).toMatchObject({ userid: 'sim00001', name: '王伟' })
    expect(await json(`${wecom}/cgi-bin/get_api_domain_ip?access_token=${provided.access_token}`)).toMatchObject({ errcode: 0 })
    // A control changes what it names and keeps the rest.
    const changed = { provider: 'wecom', corp_id: 'ww1a2b3c4d5e6f7081', user_id: 'sim00001', name: '王伟东' }
    await json(`${wecom}/_/control/person`, changed)
    expect(await json(me)).toMatchObject({ name: '王伟东', department: before.department })
    expect((await json(`${wecom}/_/control/person`, { ...changed, user_id: 'new', name: '' })).error).toContain('name')
    await json(`${wecom}/_/control/fail`, { provider: 'wecom', kind: 'refuse', code: 60020 })
    expect(await json(me)).toMatchObject({ errcode: 60020 })
    await json(`${lark}/_/control/clock`, { forward_ms: 7_200_000 })
    expect(await json(me)).toMatchObject({ errcode: 42001 })
    const asking = {
      provider: 'dingtalk',
      corp_id: 'ding0a1b2c3d4e5f6071',
      app_id: 'dingsimappkey0001',
      user_id: 'sim00002',
      source: 'client',
    }
    const { done } = await json(`${dingtalk}/_/control/code`, asking)
    const { access_token } = await json(`${dingtalk}/gettoken?appkey=dingsimappkey0001&appsecret=simulated-secret-dingtalk`)
    const who = await json(`${dingtalk}/topapi/v2/user/getuserinfo?access_token=${access_token}`, { code: done.code })
    expect(who).toMatchObject({ errcode: 0, result: { userid: 'sim00002' } })
    expect((await json(`${lark}/_/control/nothing`, {})).error).toContain('fail expire clock')
    expect(await (await fetch(`${lark}/_/inbox`)).text()).toContain('王伟')
  } finally {
    child.kill('SIGTERM')
  }
  expect(await ended).toBe(0)
})
