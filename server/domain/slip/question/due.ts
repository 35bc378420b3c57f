/** Every morning of a working day: whoever has questions that are due today, or late, is told so once. */

import { mayDisturb } from '../../../rules/hours.ts'
import { dayOf } from '../../../runtime/clock.ts'
import type { Tx } from '../../../runtime/db.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { Vault } from '../../../runtime/secrets.ts'
import { isWorkday, notify } from '../../desk/index.ts'
import { payersCalled } from '../../member/index.ts'
import { weekdayOf } from '../rules/care.ts'
import { dueText, endOf, ownerOf } from '../rules/thread.ts'
import { dueBy } from './threads.ts'

/** What is late for longer is not nagged about. */
const nagged_ms = 31 * 86_400_000

type Here = { readonly db: Tx; readonly company_id: string; readonly vault: Vault; readonly now: Date }

/** Doing this twice a day is harmless: the notice's id follows from company, person and day. */
export async function remindAnswers(here: Here): Promise<void> {
  const { company_id, now } = here
  const day = dayOf(now)
  if (!mayDisturb(now) || !isWorkday(day, weekdayOf(day))) return
  const rows = await dueBy(here, endOf(day), new Date(now.getTime() - nagged_ms))
  if (rows.length === 0) return
  const payers = new Set((await payersCalled(here)).map(({ user_id }) => user_id))
  for (const [owner, his] of Map.groupBy(rows, (row) => ownerOf(row, payers))) {
    const sum = (read: (row: (typeof his)[number]) => number): number => his.reduce((all, one) => all + read(one), 0)
    const text = dueText({ today: sum(({ today }) => today), late: sum(({ late }) => late) })
    const batches = new Set(his.map(({ batch_id }) => batch_id))
    const [batch_id = null] = batches.size === 1 ? batches : []
    if (text) await notify(here, owner, { id: idOf('answers due', company_id, owner, day), kind: 'feedback', text, batch_id })
  }
}
