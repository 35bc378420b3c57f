/**
 * Buttons of cards that call back (lark.md §5.3; documents card-callback-communication, uMDO1YjLzgTN24yM4UjN): a person presses one, the application is told and
 * has three seconds; with the token of that it may write the card anew for half an hour, twice, once it has answered. Which code says no is not written there.
 */
import { randomBytes } from 'node:crypto'
import type { SimulatedMessage } from '../inbox.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  parseObjectOrEmpty,
  type RegisteredApp,
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { isSharedCard, toRenderedCard } from './messages.ts'
import { replyLegacyError, replyOk, withTenantToken } from './replies.ts'

const halfHourMs = 1_800_000
/** What a button that calls back brings, in either schema; null: the card has none. */
export function getCallbackValue(raw: string): unknown {
  const card = parseObjectOrEmpty(raw)
  const elements = [...listOrEmpty(card.elements), ...listOrEmpty(objectOrEmpty(card.body).elements)].map(objectOrEmpty)
  for (const button of elements.flatMap((one) => (one.tag === 'button' ? [one] : listOrEmpty(one.actions).map(objectOrEmpty)))) {
    const calls = listOrEmpty(button.behaviors)
      .map(objectOrEmpty)
      .find(({ type }) => type === 'callback')
    if (calls ?? button.value) return calls?.value ?? button.value
  }
  return null
}

/** A press: the token with which the card may be written anew later. */
export function createPressToken(state: SimulatorState, message: SimulatedMessage): string {
  const token = `c-${randomBytes(20).toString('hex')}`
  state.buttonPresses.set(token, { message, expiresAt: state.now() + halfHourMs, updatesLeft: 2, isAnswered: false })
  return token
}
/** What was answered in time: the card at once, where it brings one. */
export function recordPressReply(state: SimulatorState, token: string, reply: Reply): boolean {
  const press = state.buttonPresses.get(token)
  if (!press || reply.status !== 200) return false
  press.isAnswered = true
  const card = objectOrEmpty(parseObjectOrEmpty(reply.body).card)
  const newCard = card.type === 'raw' ? objectOrEmpty(card.data) : card
  if (Object.keys(newCard).length > 0) press.message.card = toRenderedCard('interactive', newCard)
  return true
}

function updateCard(state: SimulatorState, { json }: SimulatedRequest, app: RegisteredApp): Reply {
  const press = state.buttonPresses.get(textOrEmpty(json.token))
  const card = objectOrEmpty(json.card)
  const replyInvalidParam = (reason: string) => replyLegacyError(10003, `invalid param: ${reason}`)
  if (!press || press.message.app !== app) return replyInvalidParam('token')
  if (press.expiresAt <= state.now()) return replyInvalidParam('token expired')
  if (press.updatesLeft === 0) return replyInvalidParam('token used up')
  if (!press.isAnswered) return replyInvalidParam('the callback was not answered yet')
  if (Object.keys(card).length === 0) return replyInvalidParam('card')
  if (Buffer.byteLength(JSON.stringify(card)) > 30_720)
    return replyLegacyError(230025, 'The length of the message content reaches its limit.')
  // A card that all see is written anew for all; another one for those who are named.
  if (!isSharedCard(parseObjectOrEmpty(press.message.raw)) && listOrEmpty(card.open_ids).length === 0)
    return replyLegacyError(300090, 'openid empty')
  press.updatesLeft -= 1
  press.message.card = toRenderedCard('interactive', card)
  return replyOk()
}

export function createLarkCardCalls(state: SimulatorState): SimulatedCalls {
  const call = withTenantToken(state, (request, app) => updateCard(state, request, app), { counted: 'level4' })
  return { 'POST /open-apis/interactive/v1/card/update': call, 'POST /open-apis/interactive/v1/card/update/': call }
}
