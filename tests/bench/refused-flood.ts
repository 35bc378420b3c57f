/**
 * A flood of refused requests from one address beside an employee who reads the list of payslips: 64 connections, no
 * account. `node tests/bench/refused-flood.ts [seconds] [sign-in | tokens]`: wrong passwords, or the employees' list with
 * another invented token each time.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { login } from '../../server/contract/auth/sign-in.ts'
import { getSlipList } from '../../server/contract/payslips/employee.ts'
import { HttpCaller } from '../support/callers/http.ts'
import { startServer } from '../support/run/server.ts'

const seconds = Number(process.argv[2] ?? 12)
const inventsTokens = process.argv[3] === 'tokens'
const connections = 64
/** Linux has the whole of 127.0.0.0/8: the employee comes from another address than the flood. */
const floodAddress = '127.0.0.9'

const server = await startServer()
const employee = server.signIns.find(({ text }) => text.includes('员工')) ?? server.signIns.at(-1)
const caller = await new HttpCaller(server.address).signIn(employee?.phone ?? '', employee?.password)

async function measureList(ms: number): Promise<string> {
  const times: number[] = []
  let refused = 0
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const began = performance.now()
    const { error_code } = await caller.call(getSlipList, { page: 1, page_size: 20 } as never)
    if (error_code === 0) times.push(performance.now() - began)
    else refused += 1
    await sleep(50)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const part = (of: number) => Math.round(sorted[Math.floor((sorted.length - 1) * of)] ?? 0)
  return `${times.length} answered, ${refused} refused, p50 ${part(0.5)} p99 ${part(0.99)} ms`
}

let answered = 0
let closed = 0
let isFlooding = true
const body = JSON.stringify({ mobile: '13800000000', password: 'wrong' })
const { path } = inventsTokens ? getSlipList : login
const createRequest = (): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${inventsTokens ? `User-Token: ${randomUUID()}\r\n` : ''}\r\n${body}`
/** Sends the next request when the last one was answered, and connects again when it is closed. */
function flood(): void {
  if (!isFlooding) return
  const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: floodAddress }, () =>
    socket.write(createRequest()),
  )
  socket.on('data', (bytes) => {
    answered += bytes.toString('latin1').split('HTTP/1.1 ').length - 1
    if (isFlooding) socket.write(createRequest())
    else socket.destroy()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    closed += 1
    setImmediate(flood)
  })
}

await measureList(2_000)
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\nalone: ${await measureList(seconds * 500)}\n`)
for (let one = 0; one < connections; one += 1) flood()
const began = performance.now()
const flooded = await measureList(seconds * 1000)
const took_s = (performance.now() - began) / 1000
isFlooding = false
process.stdout.write(
  `with the flood: ${flooded}\nflood: ${Math.round(answered / took_s)} answered, ${Math.round(closed / took_s)} closed a second; load ${loadavg()[0]?.toFixed(1)}\n`,
)
await server.stop()
process.exit(0)
