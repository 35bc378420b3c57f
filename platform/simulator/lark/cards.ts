/**
 * Buttons of cards that call back (lark.md §5.3; documents card-callback-communication, uMDO1YjLzgTN24yM4UjN): a person presses one, the application is told and
 * has three seconds; with the token of that it may write the card anew for half an hour, twice, once it has answered. Which code says no is not written there.
 */
import { randomBytes } from 'node:crypto'
import type { SentMessage } from '../inbox.ts'
import {
  type AskedCall,
  fields,
  listed,
  objectIn,
  type Registered,
  type Reply,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, refuseOld, withTenant } from './answers.ts'
import { drawn, isShared } from './messages.ts'

const half_hour_ms = 1_800_000
/** What a button that calls back brings, in either schema; null: the card has none. */
export function callbackValue(raw: string): unknown {
  const card = objectIn(raw)
  const elements = [...listed(card.elements), ...listed(fields(card.body).elements)].map(fields)
  for (const button of elements.flatMap((one) => (one.tag === 'button' ? [one] : listed(one.actions).map(fields)))) {
    const calls = listed(button.behaviors)
      .map(fields)
      .find(({ type }) => type === 'callback')
    if (calls ?? button.value) return calls?.value ?? button.value
  }
  return null
}

/** A press: the token with which the card may be written anew later. */
export function pressed(state: State, message: SentMessage): string {
  const token = `c-${randomBytes(20).toString('hex')}`
  state.presses.set(token, { message, until: state.now() + half_hour_ms, left: 2, answered: false })
  return token
}
/** What was answered in time: the card at once, where it brings one. */
export function answeredPress(state: State, token: string, reply: Reply): boolean {
  const press = state.presses.get(token)
  if (!press || reply.status !== 200) return false
  press.answered = true
  const card = fields(objectIn(reply.body).card)
  const anew = card.type === 'raw' ? fields(card.data) : card
  if (Object.keys(anew).length > 0) press.message.card = drawn('interactive', anew)
  return true
}

function update(state: State, { json }: AskedCall, app: Registered): Reply {
  const press = state.presses.get(said(json.token))
  const card = fields(json.card)
  const wrong = (why: string) => refuseOld(10003, `invalid param: ${why}`)
  if (!press || press.message.app !== app) return wrong('token')
  if (press.until <= state.now()) return wrong('token expired')
  if (press.left === 0) return wrong('token used up')
  if (!press.answered) return wrong('the callback was not answered yet')
  if (Object.keys(card).length === 0) return wrong('card')
  if (Buffer.byteLength(JSON.stringify(card)) > 30_720)
    return refuseOld(230025, 'The length of the message content reaches its limit.')
  // A card that all see is written anew for all; another one for those who are named.
  if (!isShared(objectIn(press.message.raw)) && listed(card.open_ids).length === 0) return refuseOld(300090, 'openid empty')
  press.left -= 1
  press.message.card = drawn('interactive', card)
  return ok()
}

export function larkCards(state: State): SimulatedCalls {
  const call = withTenant(state, (asked, app) => update(state, asked, app), { counted: 'level4' })
  return { 'POST /open-apis/interactive/v1/card/update': call, 'POST /open-apis/interactive/v1/card/update/': call }
}
