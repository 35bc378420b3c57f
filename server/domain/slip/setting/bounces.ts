/**
 * The job `bounces`: mail that came back is looked for in the company's own mailbox as long as some may, and what it says goes into the ledger.
 * Looking twice is harmless: a message is lost once (plan/reports.ts). A company that sends no mail is not looked at.
 */
import { sql } from 'kysely'
import type { Bounce } from '../../../../platform/carrier.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { type Outdoors, onlyOutdoors } from '../../../runtime/data/outdoors.ts'
import { idOf } from '../../../runtime/ids.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import { inboxOf, type MailDesk, markInboxRead, markMailed } from '../../company/index.ts'
import type { ToldLater } from '../plan/reports.ts'
import { nextLook } from '../rules/outcome.ts'
import type { Of } from '../send/claims.ts'
import { startIn } from '../send/ledger.ts'

type BounceParts = {
  readonly jobs: Jobs
  readonly clock: Clock
  readonly mail: MailDesk
  readonly inCompany: <T>(company_id: string, fn: (here: Omit<Of, 'batch_id'>) => Promise<T>) => Promise<T>
  /** Writes what is known now into the ledger. */
  readonly toldOf: (here: Omit<Of, 'batch_id'>, told: readonly ToldLater[]) => Promise<void>
}
type BounceData = { readonly company_id: string }
type Asked = Pick<Of, 'db' | 'company_id' | 'now'> & { readonly mailed_at: Date }

const faultWords: Readonly<Record<string, string>> = {
  sign_in: '收退信的邮箱登录失败：请在邮箱的设置里开启 IMAP，并核对账号和授权码',
  encryption: '没能和收信服务器建立加密连接，请检查服务器地址、端口和加密方式',
  not_public: '收信服务器的地址不能使用，请填写公网的邮件服务器',
  unreadable: '收信服务器的答复看不懂，请检查服务器地址和端口',
}
/** Why bounces cannot be read, with what to do. */
export const inboxWords = (fault: string): string =>
  faultWords[fault] ?? '连不上收信服务器，请检查服务器地址和端口；稍后会自动再试'

/** Asks for the next look; asked for twice it is one. */
async function askForLook(jobs: Jobs, { db, company_id, now, mailed_at }: Asked): Promise<void> {
  const at = nextLook(now, mailed_at)
  if (!at) return
  const id = idOf('bounces', company_id, at.toISOString())
  await jobs.send(db, 'bounces', { company_id }, { ...startIn(at.getTime() - now.getTime()), id })
}

/** A batch has just been sent: what went by mail may come back. */
export async function expectBounces({ db, company_id, batch_id, now }: Of, jobs: Jobs): Promise<void> {
  const lately = new Date(now.getTime() - 86_400_000)
  const { rows } = await sql`
    select from delivery where company_id = ${company_id} and batch_id = ${batch_id} and channel = 'email' and status in ('accepted', 'unknown')
      and done_at > ${lately} limit 1`.execute(db)
  if (rows.length > 0 && (await markMailed({ db, company_id, now })))
    await askForLook(jobs, { db, company_id, now, mailed_at: now })
}

const toldBy = ({ id, result, message }: Bounce): ToldLater => ({
  id,
  ref: null,
  became: result === 'failed' ? 'lost' : 'delayed',
  message,
})

/** Declares the job. Answers what looks once, at a test, and says what is wrong. */
export function openBounces({ jobs, clock, mail: { readInbox }, inCompany, toldOf }: BounceParts) {
  const read = readInbox && onlyOutdoors(readInbox)

  /** Answers why nothing could be read; null where it could, or nothing is to be. */
  async function look(outdoors: Outdoors, company_id: string): Promise<{ fault: string | null; more: boolean }> {
    const inbox = await inCompany(company_id, inboxOf)
    if (!inbox || !read) return { fault: null, more: false }
    const { app, from, as_of, isOurs } = inbox
    const looked = await read(outdoors, app, { from, now: clock.now() })
    await inCompany(company_id, async (here) => {
      // What carries no mark of ours was written by anybody, and is nothing.
      const ours = 'place' in looked ? looked.bounces.filter(({ id, mark }) => isOurs(id, mark)) : []
      // That it is lost is the last word on a message, in whatever order they came.
      const told = ours.toSorted((a, b) => Number(a.result === 'failed') - Number(b.result === 'failed'))
      if (told.length > 0) await toldOf(here, [...new Map(told.map((one) => [one.id, toldBy(one)])).values()])
      await markInboxRead(here, as_of, looked)
    })
    return 'place' in looked ? { fault: null, more: looked.more } : { fault: looked.fault, more: false }
  }

  async function bounces({ company_id }: BounceData, { outdoors, signal }: JobContext): Promise<void> {
    for (let lot = 0; lot < 5 && !signal.aborted; lot += 1) if (!(await look(outdoors, company_id)).more) break
    await inCompany(company_id, async (here) => {
      const mailed_at = (await inboxOf(here))?.mailed_at
      if (mailed_at) await askForLook(jobs, { ...here, mailed_at })
    })
  }

  // Most of it is waiting for somebody else's server.
  jobs.on<BounceData>('bounces', bounces, { at_once: 4, expire_s: 180, retries: 3 })
  return async (outdoors: Outdoors, company_id: string): Promise<string | null> => (await look(outdoors, company_id)).fault
}
