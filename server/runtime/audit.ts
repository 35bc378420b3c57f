/** Evidence: a line for every call that changes or shows salary data. Ids and counts, never values; written, never changed. */
import type { Call } from '../contract/call.ts'
import type { Tx } from './db.ts'
import type { Me } from './handle.ts'
import { newId } from './ids.ts'

export type About = Record<string, string | number | null>

/** The ids a request names: fields called `id` or ending in `_id`, and how many there were of a list. */
export function idsIn(input: unknown): About {
  const about: About = {}
  if (typeof input !== 'object' || input === null) return about
  for (const [name, value] of Object.entries(input)) {
    if ((name === 'id' || name.endsWith('_id')) && typeof value === 'string') about[name] = value
    else if (Array.isArray(value)) about[`${name}_count`] = value.length
  }
  return about
}

/** The same for what the house does by its rules, with nobody asking. */
export async function writeMachineAudit(
  tx: Tx,
  company_id: string,
  line: { call: string; about: About; at: Date },
): Promise<void> {
  await tx
    .insertInto('audit_line')
    .values({ company_id, id: newId(), ...line, name: '系统', outcome: 'done', about: JSON.stringify(line.about) })
    .execute()
}

export async function writeAudit(
  tx: Tx,
  me: Pick<Me, 'company_id' | 'account_id' | 'name'>,
  line: { call: Call; outcome: string; about: About; at: Date; address: string; request_id: string },
): Promise<void> {
  await tx
    .insertInto('audit_line')
    .values({
      company_id: me.company_id,
      id: newId(),
      at: line.at,
      account_id: me.account_id,
      name: me.name,
      call: line.call.at,
      outcome: line.outcome,
      about: JSON.stringify(line.about),
      address: line.address,
      request_id: line.request_id,
    })
    .execute()
}
