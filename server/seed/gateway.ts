/** The demo's SMS gateway: what it takes lies in the outbox, and some seconds later it tells the server who got it, as Alibaba Cloud does. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CarrierLine, OutgoingMessage } from '../../platform/carrier.ts'
import { dayOf } from '../runtime/clock.ts'
import type { Database } from '../runtime/db.ts'
import { outboxLine } from '../runtime/post/index.ts'

/** As long as a phone takes to ring. */
const rings_after_ms = 3_000
/** Most lines of one report. */
const at_once = 1_000

type Taken = { readonly message: OutgoingMessage; readonly ref: string; readonly at: Date }

const clockOf = (at: Date): string => `${dayOf(at)} ${new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(11, 19)}`
const lineOf = ({ message: { id, to }, ref, at }: Taken): object => ({
  phone_number: to,
  send_time: clockOf(at),
  report_time: clockOf(new Date()),
  success: true,
  err_code: 'DELIVERED',
  err_msg: '用户接收成功',
  sms_size: '1',
  biz_id: ref,
  out_id: id,
})

/** `server`: where the demo listens. */
export function demoGateway(
  database: Database,
  server: { readonly host: string; readonly port: number },
): { readonly line: CarrierLine; readonly secret: string } {
  const secret = randomBytes(24).toString('hex')
  const host = server.host === '0.0.0.0' ? '127.0.0.1' : server.host
  const waiting: Taken[] = []
  let ringing = false

  async function report(): Promise<void> {
    ringing = true
    while (waiting.length > 0) {
      await sleep(rings_after_ms, undefined, { ref: false })
      const body = JSON.stringify(waiting.splice(0, at_once).map(lineOf))
      const headers = { 'content-type': 'application/json' }
      // Nobody there any more: what was not told stays "accepted", as it does where a real gateway's report is lost.
      await fetch(`http://${host}:${server.port}/callback/sms/${secret}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
    }
    ringing = false
  }

  const line = outboxLine(database, 'sms')
  const send: CarrierLine['send'] = async (messages) => {
    const said = await line.send(messages)
    for (const one of said) {
      const message = messages.find(({ id }) => id === one.id)
      if (one.result === 'accepted' && message) waiting.push({ message, ref: one.ref, at: new Date() })
    }
    if (!ringing && waiting.length > 0) void report()
    return said
  }
  return { line: { ...line, send }, secret }
}
