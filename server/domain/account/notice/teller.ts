/**
 * Every minute: what lies unread on desks for more than a minute is told by the ways that its reader chose, all of it in one message. Doing it
 * twice is harmless: a message's id follows from its first notice, and what was told is marked in the same transaction.
 */
import { noticeKinds, noticeKindWords } from '../../../contract/people/notices.ts'
import { mayDisturb } from '../../../rules/hours.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { nameHere } from '../../company/index.ts'
import { companiesUntold, markTold, tell, untoldNotices } from '../../desk/index.ts'
import { powersHeld } from '../../role/index.ts'
import { type News, patience_ms, tellingOf, waysOf } from './telling.ts'
import { chosenWays, reachOf } from './ways.ts'

type TellerParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly origin: string
}

export function openNoticeTeller(parts: TellerParts): void {
  const { database, jobs, clock } = parts
  jobs.on<{ company_id: string }>('notices', ({ company_id }) =>
    database.inCompany(company_id, (tx) => tellCompany(parts, tx, company_id)),
  )
  jobs.daily('notices-due', '* * * * *', async () => {
    const now = clock.now()
    const due = { before: new Date(now.getTime() - patience_ms), kinds: mayDisturb(now) ? noticeKinds : (['security'] as const) }
    await database.asMachine(async (tx) => {
      for (const company_id of await companiesUntold(tx, due)) await jobs.send(tx, 'notices', { company_id })
    })
  })
}

async function tellCompany({ jobs, secrets, clock, origin }: TellerParts, db: Tx, company_id: string): Promise<void> {
  const now = clock.now()
  const here = { db, company_id }
  const vault = await secrets.vault(db, company_id)
  const post = {
    ...here,
    now,
    vault,
    jobs: { send: (name: string, data: Record<string, unknown>, options?: object) => jobs.send(db, name, data, options) },
  }
  const corp = await nameHere(here)
  for (const [admin_id, untold] of await untoldNotices(here)) {
    const reach = await reachOf(here, admin_id)
    const ways = waysOf(await powersHeld(here, admin_id), await chosenWays(here, admin_id))
    const { done, chat, mail } = tellingOf(untold, ways, { now, has: { chat: reach.chat !== null, mail: reach.mail !== null } })
    const told: [News | null, string | null, 'platform' | 'email'][] = [
      [chat, reach.chat, 'platform'],
      [mail, reach.mail, 'email'],
    ]
    for (const [news, to, channel] of told) {
      if (!news || !to) continue
      const id = idOf('notice', channel, company_id, news.first)
      // A platform drops what it has said before: the address is another one each time.
      const link = `${origin}/entry?page=${encodeURIComponent(`/agency?view=notice&n=${id.slice(0, 8)}`).replaceAll('%2F', '/')}`
      const kinds = news.kinds.map((kind) => noticeKindWords[kind]).join('、')
      await tell(post, { id, channel, to, kind: 'notice', params: { corp, count: String(news.count), news: kinds, link } })
    }
    await markTold(here, done, now)
  }
}
