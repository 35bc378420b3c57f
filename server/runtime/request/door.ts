/**
 * The door: who asks, and whether he may, read in the transaction that relies on it
 * (docs/decisions/20261123-use-one-transaction-per-request.md).
 */
import type { Call } from '../../contract/call.ts'
import { allows, featureWords } from '../../contract/corp/editions.ts'
import { may } from '../../contract/who.ts'
import { enterCompany, type Tx } from '../db.ts'
import { type Me, refuse } from '../handle.ts'
import { cookieName, type HeldRights, heldRows, loadMe, markSeen, mustBeAlive, readSession, xsrfOf } from './sessions.ts'
import { type House, nobody, type Visit, type Visitor } from './visit.ts'

/** What is held meanwhile: `rights` by who changes them, `self` by who does something on the strength of his own. */
export type Holding = 'nothing' | 'self' | 'rights'

/** Whoever reads is shown what he might see when he asked; whoever changes something does it while he still may. */
export const holdingOf = ({ audit, once }: Pick<Call, 'audit' | 'once'>): Holding =>
  audit === 'change' || once ? 'self' : 'nothing'

const heldFor = ({ who }: Call, holding: Holding): HeldRights['rows'] => {
  if (holding === 'rights') return ['all admins']
  if (who === 'employee') return ['member']
  return who === 'signed_in' || who === 'half_signed_in' || who === 'public' ? ['admin', 'member'] : ['admin']
}

/**
 * One transaction that begins at the door. Whatever takes a right away, or ends a session, is seen by it, or waits for what is done here if
 * that holds it. What the door leaves to be written is written once it is closed.
 */
export async function enter<T>(house: House, visit: Visit, holding: Holding, work: (tx: Tx) => Promise<T>): Promise<T> {
  // Of whom nothing can be known nothing is asked.
  if (!halvesOf(house, visit)) permit(visit.call, nobody)
  try {
    return await house.database.outside(async (tx) => {
      const known = await recognise(house, visit, tx, holding)
      // Who came in and is nobody now is still the one of whom the evidence tells.
      if (known.half || !visit.known.half) visit.known = known
      permit(visit.call, known)
      mayHave(visit.call, known)
      return work(tx)
    })
  } finally {
    await closed(house, visit)
  }
}

/** Who asks, before anything is done. */
export async function know(house: House, visit: Visit): Promise<void> {
  if (halvesOf(house, visit)) await enter(house, visit, 'nothing', async () => undefined)
  else permit(visit.call, nobody)
}

/** A session has two halves, the header's token and the cookie. */
function halvesOf({ https }: House, { request }: Visit): { token: string; cookie: string | null } | null {
  const token = request.headers['user-token']
  const cookie = request.cookies[cookieName(https)] ?? null
  if (typeof token !== 'string' || !token || token.length > 200 || (cookie && cookie.length > 200)) return null
  return { token, cookie }
}

/** A writing request proves that it is from our own page besides. */
async function recognise(house: House, visit: Visit, tx: Tx, holding: Holding): Promise<Visitor> {
  const { call, request, now } = visit
  const { secrets } = house
  const halves = halvesOf(house, visit)
  const session = halves && (await readSession(tx, halves.token, halves.cookie, now))
  if (!session) return nobody
  if (session.state === 'over') {
    // Whoever signs in anew may still be sending what he had before.
    if (call.who === 'public') return nobody
    throw session.transferred ? refuse('transferred') : refuse('signed_out', session.say)
  }
  if (session.state === 'stolen') {
    visit.left.stolen = session
    return nobody
  }
  if (session.unseen && !call.watches) visit.left.unseen = session.id
  if (call.method !== 'GET' && request.headers['x-xsrf-token'] !== xsrfOf(secrets, session.id)) return nobody
  const { id: session_id, account_id, mobile, company_id } = session
  const half = { session_id, account_id, mobile }
  if (!company_id) return { session_id, me: null, half }
  const held = holding === 'nothing' ? [] : heldRows(company_id, { session, rows: heldFor(call, holding) })
  await enterCompany(tx, company_id, held)
  // It may have ended while somebody else held it.
  if (held.length > 0) await mustBeAlive(tx, session_id)
  return { session_id, me: soldHere(house, await loadMe(tx, session, now)), half }
}

function permit(call: Call, { half, me }: Visitor): void {
  if (call.who === 'public') return
  if (!half) throw refuse('signed_out')
  if (call.who === 'half_signed_in') return
  if (!me) throw refuse('signed_out')
  if (!may(me, call.who)) throw refuse('not_permitted')
}

/** Where nothing is sold everybody has everything. */
const soldHere = ({ billing }: House, me: Me | null): Me | null => (billing || !me ? me : { ...me, edition: 60 })

/** What an edition is sold for. */
function mayHave({ needs }: Call, { me }: Visitor): void {
  if (!needs || !me || allows(me.edition, needs)) return
  throw refuse('not_in_edition', `「${featureWords[needs]}」是高级版的功能，请在「服务管理」开通`, { feature: needs })
}

/** In transactions of their own: what must be known of a request that was refused as well. */
async function closed({ database, room, onStolenToken }: House, { call, request, now, left }: Visit): Promise<void> {
  const { stolen, unseen } = left
  left.stolen = left.unseen = null
  if (stolen) await onStolenToken(stolen, { call, address: request.ip, request_id: request.id, now })
  // A small row that can be missed: what was done is done, and a disk may have no room for it.
  if (unseen)
    await markSeen(database, unseen, now).catch((error: unknown) => {
      if (room.told(error, request.log) === error) request.log.warn({ err: error }, 'not written when a session was used')
    })
}
