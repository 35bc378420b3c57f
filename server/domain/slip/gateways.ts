/**
 * What the sender asks of the outside world, one message at a time, and what a yes, a no, a silence or a plea for patience means for
 * the ledger. No transaction is open here.
 */

import type { LookupOutcome } from '../../../platform/carrier.ts'
import { maskMobile } from '../../contract/words.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type CarrierLines, handOver, lookUp as lookUpAt } from '../../runtime/post/index.ts'
import { type Checked, type Claimed, type Gate, lease_ms, type Outcome } from './claims.ts'
import { linkOf, maskName, sayingOf, shortLinkOf } from './rules/message.ts'
import { afterError, backOff, stillWanted } from './rules/outcome.ts'

export type GatewayParts = {
  readonly clock: Clock
  readonly lines: CarrierLines
  readonly origin: string
}
type Announced = Pick<Gate, 'title' | 'corp_name'>
/**
 * `none`: surely not taken. `unsure`: the gateway cannot tell, its books are behind. `silent`: it could not be asked.
 */
export type Found = { readonly ref: string } | 'none' | 'unsure' | 'silent'
/** `outcome` null: the row is not ours any more. `wait_ms`: the gateway wants to be left alone for so long. */
export type Tried = { readonly outcome: Outcome | null; readonly error: boolean; readonly wait_ms?: number }

export const unknown = {
  code: 'unknown',
  message: '多次尝试后仍不能确认是否送达，系统不会自动重发；可联系员工确认，或再提醒一次',
}
const least_rest_ms = 1000
/** What gateways write into such answers is not always meant. */
const longest_rest_ms = 15 * 60_000

export function openGateways({ clock, lines, origin }: GatewayParts, patience_ms: number) {
  /** Until when a gateway asked to be left alone: kept for all batches of this process, they share the gateway. */
  const rests_until = { sms: 0, platform: 0 }

  /** By delivery, what the gateway says of it. */
  async function lookUp(rows: readonly Claimed[]): Promise<Map<string, Found>> {
    const found = new Map<string, Found>()
    for (const channel of ['sms', 'platform'] as const) {
      const of = rows.filter((row) => row.channel === channel)
      const line = lines[channel]
      if (of.length === 0 || !line) continue
      const asked = of.map(({ id, to, was_until }) => ({ id, to, at: was_until ?? clock.now() }))
      const known = await lookUpAt(line, asked, patience_ms)
      for (const { id } of of) found.set(id, known ? foundOf(known.get(id)) : 'silent')
    }
    return found
  }

  async function deliver(one: Checked, batch: Announced, began: number): Promise<Tried> {
    const { id, attempts } = one
    const verdict = stillWanted(one)
    if (!verdict.send)
      return { outcome: { id, status: verdict.status, code: verdict.code, message: verdict.message }, error: false }
    const channel = one.channel === 'link' ? null : one.channel
    const line = channel && lines[channel]
    if (!channel || !line)
      return {
        outcome: { id, status: 'failed', code: 'not_configured', message: '这个渠道还没有配置，请改用其他渠道' },
        error: false,
      }
    const rest_ms = rests_until[channel] - clock.now().getTime()
    if (rest_ms > 0) return notTried(one, rest_ms)
    const link = channel === 'sms' ? shortLinkOf(origin, one) : linkOf(origin, one)
    const saying = sayingOf({ corp_name: batch.corp_name, title: batch.title, purpose: one.purpose, link })
    // A process that was stopped and woken may have lost the lease long ago: then the row belongs to somebody else.
    if (performance.now() - began > lease_ms - patience_ms) return { outcome: null, error: false }
    const [said] = await handOver(line, [{ id, to: verdict.to, name: maskName(one.name), saying }], patience_ms)
    if (said?.result === 'accepted') return { outcome: { id, status: 'accepted', ref: said.ref }, error: false }
    if (said?.result === 'refused')
      return { outcome: { id, status: 'failed', code: said.code, message: refusedWords(said.message, one) }, error: false }
    const now = clock.now()
    if (said?.result === 'put_off') {
      const wait_ms = Math.min(longest_rest_ms, Math.max(least_rest_ms, said.wait_s * 1000 || 0))
      // One phone that has had enough makes nobody else wait.
      if (said.one_address) return { outcome: notTried(one, wait_ms).outcome, error: false }
      rests_until[channel] = Math.max(rests_until[channel], now.getTime() + wait_ms)
      return notTried(one, wait_ms)
    }
    if (afterError(attempts) === 'unknown') return { outcome: { id, status: 'unknown', ...unknown }, error: true }
    const due_at = new Date(now.getTime() + backOff(attempts, Math.random()))
    return { outcome: { id, status: 'queued', due_at, tried_at: now }, error: true }
  }

  /**
   * Surely not taken, so the try does not count. An earlier try of the same row was looked up right before this one and not found; it
   * is looked up again before the next.
   */
  const notTried = ({ id, attempts }: Checked, wait_ms: number): Tried => {
    const now = clock.now().getTime()
    const tried_at = attempts > 1 ? new Date(now) : null
    return {
      outcome: { id, status: 'queued', due_at: new Date(now + wait_ms), tried_at, uncounted: true },
      error: false,
      wait_ms,
    }
  }

  return { lookUp, deliver }
}

const foundOf = (known: LookupOutcome | undefined): Found =>
  known?.result === 'accepted' ? { ref: known.ref } : known?.result === 'not_accepted' ? 'none' : 'unsure'

/** What a gateway says may name the phone; it is shown, so it is masked and short. */
function refusedWords(message: string, one: Checked): string {
  const text = one.mobile ? message.replaceAll(one.mobile, maskMobile(one.mobile)) : message
  return text.slice(0, 200) || '渠道拒绝了这条消息'
}
