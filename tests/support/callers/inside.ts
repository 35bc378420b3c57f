/** A handler context without a request, for tests of calls between domains. */

import type { HandlerContext } from '../../../server/http/handler.ts'
import { loadCurrentUser } from '../../../server/http/sessions.ts'
import { createMessagePreview } from '../../../server/product.ts'
import { newId } from '../../../server/shared/ids.ts'
import type { Person, World } from '../world.ts'

/** Runs `fn` in one transaction of this user's company, as this user. */
export async function inside<T>(world: World, person: Person, fn: (ctx: HandlerContext) => Promise<T>): Promise<T> {
  const { company_id, account_id, mobile } = person
  return world.database.inCompany(company_id, async (tx) => {
    const me = await loadCurrentUser(
      tx,
      { id: newId(), account_id, company_id, agency_id: null, mobile, view_until: null, verified_at: null },
      world.clock.now(),
    )
    if (!me) throw new Error('nobody here by that account')
    return fn({
      db: tx,
      currentUser: me,
      company_id,
      vault: await world.secrets.vault(tx, company_id),
      spareBytes: null,
      isReadOnly: false,
      now: world.clock.now(),
      request_id: newId(),
      address: '127.0.0.1',
      origin: 'http://127.0.0.1:8080',
      billing: true,
      ...createMessagePreview(null, 'http://127.0.0.1:8080'),
      addAuditDetails: () => undefined,
      jobs: { send: (name, data, options) => world.product.jobs.send(tx, name, data, options) },
    })
  })
}

/** Returns the error's name and details, or `done`. */
export async function getOutcome(
  work: Promise<unknown>,
): Promise<{ error: string; message: string; details: Record<string, unknown> }> {
  try {
    await work
    return { error: 'done', message: '', details: {} }
  } catch (error) {
    const { error: name, message, details } = error as { error?: string; message: string; details: Record<string, unknown> }
    if (!name) throw error
    return { error: name, message, details }
  }
}
