/**
 * The demo's SMS gateway: stores messages in the outbox, and reports their delivery to the server some seconds later,
 * as Alibaba Cloud does.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CarrierSender, OutgoingMessage } from '../../platform/carrier.ts'
import type { Database } from '../database/database.ts'
import { toShanghaiDate } from '../shared/clock.ts'
import { createDemoSender } from './sender.ts'

/** Simulated delivery time. */
const deliveryDelayMs = 3_000
/** Maximum number of entries per report. */
const maxReportRows = 1_000

type AcceptedMessage = { readonly message: OutgoingMessage; readonly ref: string; readonly at: Date }

const formatGatewayTime = (at: Date): string =>
  `${toShanghaiDate(at)} ${new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(11, 19)}`
const toReportRow = ({ message: { id, to }, ref, at }: AcceptedMessage): object => ({
  phone_number: to,
  send_time: formatGatewayTime(at),
  report_time: formatGatewayTime(new Date()),
  success: true,
  err_code: 'DELIVERED',
  err_msg: '用户接收成功',
  sms_size: '1',
  biz_id: ref,
  out_id: id,
})

/** Creates the gateway. `server`: where the demo listens. */
export function createDemoGateway(
  database: Database,
  server: { readonly host: string; readonly port: number },
): { readonly line: CarrierSender; readonly secret: string } {
  const secret = randomBytes(24).toString('hex')
  const host = server.host === '0.0.0.0' ? '127.0.0.1' : server.host
  const pending: AcceptedMessage[] = []
  let isReporting = false

  async function report(): Promise<void> {
    isReporting = true
    while (pending.length > 0) {
      await sleep(deliveryDelayMs, undefined, { ref: false })
      const body = JSON.stringify(pending.splice(0, maxReportRows).map(toReportRow))
      const headers = { 'content-type': 'application/json' }
      // The server is gone: unreported messages stay "accepted", as when a real gateway's report is lost.
      await fetch(`http://${host}:${server.port}/callback/sms/${secret}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
    }
    isReporting = false
  }

  const sender = createDemoSender(database, 'sms')
  const send: CarrierSender['send'] = async (messages) => {
    const results = await sender.send(messages)
    for (const one of results) {
      const message = messages.find(({ id }) => id === one.id)
      if (one.result === 'accepted' && message) pending.push({ message, ref: one.ref, at: new Date() })
    }
    if (!isReporting && pending.length > 0) void report()
    return results
  }
  return { line: { ...sender, send }, secret }
}
