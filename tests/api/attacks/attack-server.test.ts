/** Attacks on the real server: its data, logs and messages after a month of payroll; slow clients; floods of files. */
import { openAsBlob, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { getErrorCode } from '../../../server/shared/error-code.ts'
import { HttpCaller, lastCode } from '../../support/callers/http.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { type Server, startServer } from '../../support/run/server.ts'
import { isFull, trial } from '../../support/run/trial.ts'

let server: Server
let payroll: HttpCaller
/** The clients send half a header each from the start; the time until all of them were closed is checked at the end. */
const slowClients = { full: 1_000, sample: 50, of: 'slow clients', goal: 'G8' }
let closed: Promise<number>
beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'debug' } })
  closed = connectSlowly(isFull ? slowClients.full : slowClients.sample)
  // The test that awaits the promise reports its failure.
  closed.catch(() => undefined)
  const owner = server.signIns.find((one) => /薪酬|系统/.test(one.text)) ?? server.signIns[0]
  payroll = await new HttpCaller(server.address).signIn(owner?.phone ?? '', owner?.password)
})
afterAll(() => server.stop())

async function connectSlowly(count: number): Promise<number> {
  const began = performance.now()
  const one = () =>
    new Promise<void>((done, fail) => {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write('POST /api/wage/getWageList HTTP/1.1\r\nhost: x\r\nx-a: '),
      )
      socket.on('close', () => done())
      socket.on('error', fail)
      socket.resume()
    })
  await Promise.all(Array.from({ length: count }, one))
  return performance.now() - began
}
/**
 * Waits until the server has written its whole log so far: the log is in order, and its last entry belongs to this
 * request.
 */
async function logIsWritten(): Promise<void> {
  const viewed = server.output().length
  await fetch(`${server.address}/api/wage/getSalary`, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  })
  await vi.waitFor(() => expect(server.output().length).toBeGreaterThan(viewed), { timeout: 60_000, interval: 10 })
}

const files = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isDirectory() ? files(path) : stat?.isFile() ? [path] : []
  })

/** Returns an empty buffer if the file is gone: a running database removes files. */
const getBytes = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

it('stores no plain text of wage sheets, questions and corrections (canary values)', async () => {
  const { list } = await payroll.must(member.getMemberList, { pagesize: 8 })
  const canary = (kind: string, at: number) => `${kind}Kanarienvogel${at}x${(at * 7919) % 1000}`
  const amount = (at: number) => 73_164_027 + at * 13_337
  const yuan = (fen: number) => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`
  const card = (at: number) => `622277773333111${4_000 + at}`
  const head = ['姓名', '手机号', '身份证号', '基本工资', '实发工资', '备注', '银行卡号']
  const rows = list.map((one, at) => [
    one.NAME,
    one.MOBILE,
    canary('id', at),
    yuan(amount(at) + 4_321),
    yuan(amount(at)),
    canary('note', at),
    card(at),
  ])
  // One member has the known card, one another card, and one an invalid one.
  for (const [at, bank_account] of [card(1), card(9), `${card(2)}x`].entries())
    await payroll.call(member.editMemberInfo, { id: list[at + 1]?.ID ?? '', bank_account })
  const file = { name: `${canary('file', 1)}.xlsx`, bytes: makeXlsx({ sheets: [{ name: 'S', rows: [head, ...rows] }] }) }
  const { batch_id } = await payroll.must(sheet.uploadWageExcel, {}, file)
  await payroll.must(sheet.insertBatchTitle, { batch_id, title: 'Goldammer', month: '2026-09' })
  await payroll.must(sheet.insertTemplate, { batch_id, name: canary('template', 1) })
  await payroll.must(sheet.insertClassify, { batch_id, name: 'Kanarienvogel' })
  await payroll.must(sheet.editPaySheetTitle, { batch_id, hint: canary('hint', 1) })
  const { problems } = await payroll.must(sheet.checkWageData, { batch_id })
  await payroll.call(sheet.dealWithSalaryList, {
    batch_id,
    actions: problems.filter(({ fix }) => fix.includes('take')).map((one) => ({ problem_id: one.id, fix: 'take' as const })),
  })
  await payroll.call(sheet.dealWithSalaryList, {
    batch_id,
    actions: problems.slice(0, 1).map((one) => ({ problem_id: one.id, fix: 'edit' as const, value: canary('edit', 1) })),
  })
  await payroll.must(sheet.getPreview, { batch_id })
  const plan = await payroll.must(slip.sendPaySheet, { batch_id, channels: ['sms', 'link'] })
  await payroll.must(slip.doSend, { plan_id: plan.plan_id, looked: true })
  await payroll.must(slip.sendNow, { batch_id })
  for (let attempts = 0; attempts < 600 && (await payroll.must(slip.getSendInfo, { batch_id })).queued > 0; attempts += 1)
    await sleep(50)
  const detail = await payroll.must(slip.getWageDetail, { batch_id })
  expect(JSON.stringify(detail)).toContain(canary('note', 0))
  const salary_id = detail.list[0]?.salary_id ?? ''
  await payroll.must(slip.editSalaryDetail, {
    salary_id,
    cells: [
      { key: 'c5', value: canary('correction', 1) },
      { key: 'c4', value: '77313.37' },
    ],
    reason: canary('reason', 1),
  })
  await payroll.must(slip.exportWageDetail, { batch_id, what: 'detail' })
  const reader = await new HttpCaller(server.address).signIn(detail.list[0] ? (list[0]?.MOBILE ?? '') : '').catch(() => null)
  if (reader) {
    await reader.must(employee.getSlip, { slip_id: salary_id })
    await reader.must(employee.feedbackSlip, { slip_id: salary_id, content: canary('question', 1) })
    const thread = (await payroll.must(feedback.getFeedBackList, {})).list.find((one) => one.salary_id === salary_id)
    await payroll.must(feedback.handleFeedback, { id: thread?.id ?? '', action: 'reply', content: canary('answer', 1) })
  }
  await payroll.must(slip.withdrawSingleSalary, { salary_id: detail.list.at(-1)?.salary_id ?? '', reason: canary('reason', 3) })
  // Validation errors and internal errors that contain values.
  for (const cells of [[{ key: 'c4', value: canary('wrong', 1) }], [{ key: 'zz', value: '88442.21' }]])
    await payroll.call(slip.editSalaryDetail, { salary_id, cells, reason: canary('reason', 2) })
  await fetch(`${server.address}/api/wage/getSalary`, {
    method: 'POST',
    body: `{"salary_id": "${canary('broken', 1)}`,
    headers: { 'content-type': 'application/json' },
  })
  await logIsWritten()

  const amounts = list.flatMap((_, at) => [
    yuan(amount(at)),
    yuan(amount(at) + 4_321),
    String(amount(at)),
    String(amount(at) + 4_321),
  ])
  const cards = [9, ...list.keys()].map(card)
  const requested = ['Kanarienvogel', 'Goldammer', ...amounts, ...cards, '6222777733331114', '77313.37', '7731337', '88442.21']
  const leaks: string[] = []
  const view = (where: string, text: string) => {
    for (const one of requested) {
      const at = text.indexOf(one)
      if (at >= 0) leaks.push(`${where}: …${text.slice(Math.max(0, at - 30), at + 30)}…`)
    }
  }
  view('log', server.output())
  for (const { MOBILE } of list)
    expect(
      server
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n'),
    ).not.toContain(MOBILE)
  view('outbox', await (await fetch(`${server.address}/dev/outbox.json`)).text())
  view('metrics', await (await fetch(`${server.address}/metrics`)).text())
  for (const path of files(server.data)) view(path, getBytes(path).toString('latin1'))
  expect(leaks).toEqual([])
  // The search does find what is stored as plain text: members' names.
  expect(files(server.data).some((path) => getBytes(path).includes(list[0]?.NAME ?? 'nobody'))).toBe(true)
})

it('writes no tokens, cookies, codes or passwords to logs or data (A19)', async () => {
  const phone = (await payroll.must(member.getMemberList, { pagesize: 30 })).list.at(-1)?.MOBILE ?? ''
  const [secret, other, guess] = ['Kohlmeise im Apfelbaum', 'Blaumeise im Birnbaum', 'Haubenmeise im Ahorn']
  const reset = async (password: string) => {
    const own = new HttpCaller(server.address)
    const { sms } = await own.must(account.getVerifyCode, { phone, type: 'resetpwd' })
    const code = await lastCode(server.address, phone)
    const { token } = await own.must(account.validatePhoneCode, { phone, code, sms })
    await own.must(account.updatePassword, { type: 'resetpwd', phone, token, newpass: password, confirm_password: password })
    return { code, token }
  }
  const { code, token } = await reset(secret)
  const own = await new HttpCaller(server.address).signIn(phone, secret)
  await new HttpCaller(server.address).call(account.login, { phone, password: guess })
  await own.must(account.updatePassword, { old_password: secret, password: other, confirm_password: other })
  const step = await own.must(profile.changePhone, { password: other })
  await own.call(profile.changePhone, { phone: '19911112222', code: '123456', sms: crypto.randomUUID(), token: step.token ?? '' })
  const pay = ['工资9876', '王小明', '88234.5', '77321']
  const [message, stack] = [pay.join(' is not '), `TypeError: ${pay.join(' ')}\n at a.js:1:2`]
  await own.must(account.logClientError, {
    level: 'error',
    message,
    stack,
    url: `/m/slip/${pay[1]}?net=77321`,
    release: pay[0] ?? '',
  })
  // The input is invalid in every way that an error message could repeat.
  await own.call(account.checkTotp, { factor_token: token, code: '000000' })
  await fetch(`${server.address}/api/index/login`, {
    method: 'POST',
    body: `{"phone": "${phone}", "password": "${guess}`,
    headers: { 'content-type': 'application/json', 'user-token': own.halves[0] ?? '' },
  })
  await logIsWritten()
  const requested = [secret, other, guess, token, step.token ?? '', ...own.halves]
  expect(requested.length).toBeGreaterThan(7)
  const log = server.output()
  const lines = log.split('\n').filter((line) => line.startsWith('{'))
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.filter((line) => line.includes('"client"'))).toHaveLength(1)
  expect([...requested, ...pay].filter((one) => log.includes(one))).toEqual([])
  expect(lines.filter((line) => line.includes(phone) || new RegExp(`\\b${code}\\b`).test(line))).toEqual([])
  const leaks = files(server.data).filter((path) => {
    const text = getBytes(path).toString('latin1')
    return requested.some((one) => text.includes(one))
  })
  expect(leaks).toEqual([])
})

describe('security headers', () => {
  it.each(['/m/login', '/pc/page/login/login.html', '/', '/home', '/api', '/dev/outbox', '/nothing/here'])(
    'forbids framing and foreign scripts on %s',
    async (path) => {
      const answer = await fetch(`${server.address}${path}`, { headers: { accept: 'text/html' } })
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'self'")
      // Besides its own files, a page may load only scripts inlined in it, allowed by their hash.
      expect(policy).toMatch(/script-src 'self'( 'sha256-[\w+/]+=*')*;/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    },
  )

  it('never serves the source code, the data or the key', async () => {
    for (const path of [
      '/../package.json',
      '/..%2fpackage.json',
      '/%2e%2e/master.key',
      '/assets/../../server/main.ts',
      '/assets/..%5c..%5cpackage.json',
      '/.env',
      '/server/main.ts',
      '/assets/%00',
    ])
      expect((await fetch(`${server.address}${path}`)).status, path).toBeGreaterThanOrEqual(400)
  })
})

describe('slow clients and request floods', () => {
  trial('slow-clients', 'closes connections that send only half a header', slowClients, async ({ says }) => {
    const took = await closed
    says(`closed after ${Math.round(took)} ms`)
    // Times are measured only when the test has the machine to itself.
    if (isFull) expect(took).toBeLessThan(15_000)
  })

  const flood = { full: 40, sample: 12, of: 'files of 15 MB' }
  trial(
    'large-files',
    'answers every request during a flood of uploads and keeps memory within bounds',
    flood,
    async ({ size, says }) => {
      const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024
      const before = rss()
      let most = before
      const watch = setInterval(() => {
        most = Math.max(most, rss())
      }, 50)
      // The files are read from a disk while they are sent: data in memory is sent without a pause, which would leave no
      // time for eleven other requests.
      const path = join(server.data, 'a.csv')
      await writeFile(path, Buffer.alloc(15 * 1024 * 1024, 'x'))
      const bytes = await openAsBlob(path)
      const answers = await Promise.all(
        Array.from({ length: size }, () =>
          payroll
            .call(sheet.uploadWageExcel, {}, { name: 'a.csv', bytes })
            .catch((error: unknown) => ({ error_code: String((error as Error).cause) })),
        ),
      )
      clearInterval(watch)
      expect(new Set(answers.map((one) => one.error_code))).toEqual(new Set([100002, 100429]))
      says(`the server grew by ${Math.round(most - before)} MB`)
      expect(most - before).toBeLessThan(250)
      expect((await fetch(`${server.address}/healthz`)).status).toBe(200)
    },
  )
})
