/** Who asks, and whether he may. */
import { may } from '../../contract/who.ts'
import { refuse } from '../handle.ts'
import { cookieName, loadMe, readSession, xsrfOf } from '../sessions.ts'
import { type House, nobody, type Visit, type Visitor } from './visit.ts'

/** A session has two halves, the header's token and the cookie; a writing request proves that it is from our own page besides. */
export async function recognise(house: House, { call, request, now }: Visit): Promise<Visitor> {
  const { database, secrets } = house
  const token = request.headers['user-token']
  const cookie = request.cookies[cookieName(house.https)] ?? null
  if (typeof token !== 'string' || !token || token.length > 200 || (cookie && cookie.length > 200)) return nobody
  const read = (keeps: boolean) => readSession(database, token, cookie, { now, keeps: keeps && !call.watches })
  const session = await house.room.sparing(request.log, read)
  if (!session) return nobody
  if (session.state === 'over') {
    // Whoever signs in anew may still be sending what he had before.
    if (call.who === 'public') return nobody
    throw session.transferred ? refuse('transferred') : refuse('signed_out', session.say)
  }
  if (session.state === 'stolen') {
    await house.onStolenToken(session, { call, address: request.ip, request_id: request.id, now })
    return nobody
  }
  if (call.method !== 'GET' && request.headers['x-xsrf-token'] !== xsrfOf(secrets, session.id)) return nobody
  const half = { session_id: session.id, account_id: session.account_id, mobile: session.mobile }
  if (!session.company_id) return { session_id: session.id, me: null, half }
  const me = await database.inCompany(session.company_id, (tx) => loadMe(tx, session, now))
  return { session_id: session.id, me, half }
}

export function permit({ call, known }: Visit): void {
  if (call.who === 'public') return
  if (!known.half) throw refuse('signed_out')
  if (call.who === 'half_signed_in') return
  if (!known.me) throw refuse('signed_out')
  if (!may(known.me, call.who)) throw refuse('not_permitted')
}
