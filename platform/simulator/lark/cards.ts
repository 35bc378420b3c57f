/**
 * Callback buttons of cards (lark.md §5.3; documents card-callback-communication, uMDO1YjLzgTN24yM4UjN): a user presses
 * one, and the application is notified and has three seconds to respond. After its response it may update the card with
 * the callback's token twice within half an hour. The error codes are not documented.
 */
import { randomBytes } from 'node:crypto'
import type { SimulatedMessage } from '../inbox.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  parseObjectOrEmpty,
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { isSharedCard, toRenderedCard } from './messages.ts'
import { replyLegacyError, replyOk, withTenantToken } from './replies.ts'

const halfHourMs = 1_800_000
/** Returns the value of a card's callback button, in either schema; null if the card has none. */
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

/** Creates the token of a press, with which the card may be updated later. */
export function createPressToken(state: SimulatorState, message: SimulatedMessage): string {
  const token = `c-${randomBytes(20).toString('hex')}`
  state.buttonPresses.set(token, { message, expiresAt: state.now() + halfHourMs, updatesLeft: 2, isAnswered: false })
  return token
}
/** Records a timely response, including the new card if there is one. */
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
  // A shared card is updated for everybody; any other card for the named users only.
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
