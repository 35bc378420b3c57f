/** Creates batches without a wage sheet: rows as the reader would have stored them, ready to be planned and sent. */

import { type CarrierSender, createCarrierSender, RateLimitedError, rejectRecalls, sendOneByOne } from '../../platform/carrier.ts'
import * as slip from '../../server/contract/payslips/send.ts'
import type { Channel } from '../../server/contract/shared/schemas.ts'
import type { WageSheetInfo } from '../../server/contract/sheets/sheet.ts'
import { noTransaction } from '../../server/database/no-transaction.ts'
import { createPayslipSender } from '../../server/modules/payslips/send/deliver.ts'
import { type StoredTotals, sealTotals } from '../../server/modules/sheets/check/same-file.ts'
import { getLayoutPosition, sealFileName, sealTitle } from '../../server/modules/sheets/names/sealed-names.ts'
import { sealRecognition, sealSheetLayout } from '../../server/modules/sheets/recognition.ts'
import { insertRows } from '../../server/modules/sheets/rows/written-rows.ts'
import { createChannelSender, type SenderLimits } from '../../server/outbox/index.ts'
import type { RowCells } from '../../server/rules/amounts.ts'
import type { Clock } from '../../server/shared/clock.ts'
import { newId } from '../../server/shared/ids.ts'
import { freshPhone } from './random.ts'
import type { Caller, Corp, Person, World } from './world.ts'

const column = (
  at: number,
  label: string,
  role: WageSheetInfo['columns'][number]['role'],
  kind: 'money' | 'text',
): WageSheetInfo['columns'][number] => ({
  key: `c${at}`,
  col: String.fromCharCode(65 + at),
  path: [label],
  label,
  name: label,
  role,
  kind,
  samples: [],
  confidence: 1,
  reason: '',
  hidden: false,
})
const columns = [
  column(0, '姓名', 'name', 'text'),
  column(1, '手机号', 'mobile', 'text'),
  column(2, '基本工资', 'earning', 'money'),
  column(3, '个人所得税', 'tax', 'money'),
  column(4, '实发工资', 'net', 'money'),
]
const money = (fen: number) => ({ value: (fen / 100).toFixed(2), kind: 'money' as const, fen })
const text = (value: string) => ({ value, kind: 'text' as const })

type Position = Pick<World, 'database' | 'secrets'> & { readonly clock: Clock }
export type PaidPerson = Pick<Person, 'member_id' | 'name' | 'mobile'>

/** Returns the net pay that `makeBatch` gives to a row: unique for each employee, so that a leak can be traced. */
export const getNet = (row: number): number => 800_000 + row * 101

const getTotals = (people: number): StoredTotals => {
  const nets = Array.from({ length: people }, (_, at) => getNet(at + 2)).reduce((sum, net) => sum + net, 0)
  return { people, gross_fen: null, tax_fen: people * 12_345, net_fen: nets, content: '' }
}

/** Returns the recognition result of a wage sheet with this number of rows and no questions. */
export const plainRecognized = (
  visible: Parameters<typeof sealRecognition>[2]['columns'],
  rows: number,
  formula: WageSheetInfo['formula'] = null,
): Parameters<typeof sealRecognition>[2] => ({
  sheets: [{ name: '工资表', rows: rows + 1, hidden: false, chosen: true, like: true }],
  header: { rows: [1], first_data_row: 2, last_data_row: rows + 1 },
  columns: visible,
  rows,
  ignored: [],
  formula,
  totals_row: null,
  total_rows: [],
  warnings: [],
  parts: [],
  says: { title: null, month: null },
  subtotals: [],
  questions: [],
  remembered: null,
  expected: null,
  read: { formula, questions: [], totals_row: null, roles: Object.fromEntries(visible.map(({ key, role }) => [key, role])) },
})

/** Creates a checked batch of these members with a title. Row numbers begin at 2, below the header. */
export async function makeBatch(
  world: Position,
  owner: Pick<Person, 'company_id' | 'admin_id'>,
  people: readonly PaidPerson[],
  options: { title?: string; month?: string; kind?: 'monthly' | 'bonus'; formula?: WageSheetInfo['formula'] } = {},
): Promise<string> {
  const { company_id } = owner
  const [batch_id, title_id] = [newId(), newId()]
  const now = world.clock.now()
  await world.database.inCompany(company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, company_id)
    const month = options.month ?? '2026-10'
    await tx
      .insertInto('title')
      .values({
        company_id,
        id: title_id,
        owner_id: owner.admin_id ?? '',
        ...sealTitle(vault, { id: title_id, name: options.title ?? `工资${title_id.slice(-6)}`, month }),
        month,
        kind: options.kind ?? 'monthly',
      })
      .execute()
    const recognized = sealRecognition(vault, batch_id, plainRecognized(columns, people.length, options.formula))
    await tx
      .insertInto('batch')
      .values({
        company_id,
        id: batch_id,
        owner_id: owner.admin_id ?? '',
        title_id,
        status: 'checked',
        file_name: sealFileName(vault, batch_id, '工资表.xlsx'),
        layout: vault.seal(getLayoutPosition(batch_id), { version: 1 }),
        file_hash: Buffer.from(batch_id),
        fingerprint: batch_id,
        sheet_layout: sealSheetLayout(vault, batch_id, { others: [], hidden_rows: [], merges: [] }),
        recognition: recognized,
        people: people.length,
        // The status is stored as the check stores it: for the whole wage sheet, whatever the scope.
        totals: sealTotals(vault, batch_id, getTotals(people.length)),
        created_at: now,
        updated_at: now,
      })
      .execute()
    const rows = people.map((person, at) => {
      const row = at + 2
      const cells: RowCells = {
        c0: text(person.name),
        c1: text(person.mobile),
        c2: money(getNet(row) + 12_345),
        c3: money(12_345),
        c4: money(getNet(row)),
      }
      return { row, cells }
    })
    await insertRows({ db: tx, company_id, vault }, batch_id, rows)
  })
  return batch_id
}

/** Creates many members at once, with accounts only if `joined`. */
export async function manyPeople(
  world: Position,
  corp: Pick<Corp, 'company_id'>,
  count: number,
  options: { platform?: boolean } = {},
): Promise<PaidPerson[]> {
  const people = Array.from({ length: count }, () => {
    const mobile = freshPhone()
    return { member_id: newId(), name: `职员${Number(mobile.slice(3))}`, mobile }
  })
  await world.database.inCompany(corp.company_id, async (tx) => {
    for (let from = 0; from < count; from += 500) {
      const some = people.slice(from, from + 500)
      await tx
        .insertInto('member')
        .values(
          some.map((one) => ({
            company_id: corp.company_id,
            id: one.member_id,
            name: one.name,
            mobile: one.mobile,
            status: 'invited',
            platform_user_id: options.platform ? `ou_${one.member_id}` : null,
          })),
        )
        .execute()
    }
  })
  return people
}

/** Plans and sends without running the jobs that follow. */
export async function send(
  caller: Caller,
  batch_id: string,
  channels: Channel[] = ['sms'],
  more: { when?: string; rules?: Partial<Rules> } = {},
) {
  const plan = await caller.must(slip.sendPaySheet, { batch_id, channels, ...more })
  return { plan, ...(await caller.must(slip.doSend, { plan_id: plan.plan_id, looked: true })) }
}
/** Plans and sends; the product's own jobs are discarded and the test runs its own senders. Returns their inputs. */
export async function sendManually(
  { world, corp, caller }: { world: World; corp: Corp; caller: Caller },
  ...requested: [string, Channel[]?]
) {
  await send(caller, ...requested)
  await world.database.pool.query(`delete from pgboss.job where name = 'send'`)
  return { company_id: corp.company_id, batch_id: requested[0] }
}
type Rules = { confirm: boolean; feedback: boolean; view_password: boolean; burn_after_minutes: number; watermark: boolean }

/** Sends one employee's payslip by a link: the start of most payslip tests. */
export async function payOne(
  { world, corp, clerk, caller }: { world: World; corp: Corp; clerk: Person; caller: Caller },
  person: Person,
  { rules, ...options }: NonNullable<Parameters<typeof makeBatch>[3]> & { rules?: Partial<Rules> } = {},
) {
  const batch_id = await makeBatch(world, clerk, [person], options)
  await send(caller, batch_id, ['link'], rules ? { rules } : {})
  await world.product.jobs.drain()
  const [row] = await salaries(world, corp, batch_id)
  return { batch_id, slip_id: row?.id ?? '' }
}

/** Returns the payslips of a batch from the database, by row. */
export const salaries = (world: World, corp: Corp, batch_id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .selectFrom('payslip')
      .selectAll()
      .where('company_id', '=', corp.company_id)
      .where('batch_id', '=', batch_id)
      .orderBy('row_no')
      .execute(),
  )
export const deliveries = (world: World, corp: Corp, batch_id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('delivery').selectAll().where('company_id', '=', corp.company_id).where('batch_id', '=', batch_id).execute(),
  )
/** Returns the notifications about a batch as their recipients read them. */
export const getNotices = (world: World, corp: Corp, batch_id: string) =>
  world.database.inCompany(corp.company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, corp.company_id)
    const rows = await tx.selectFrom('notification').selectAll().where('batch_id', '=', batch_id).orderBy('id').execute()
    return rows.map((row) => ({
      ...row,
      text: vault.open<string>({ table: 'notification', row: row.id, column: 'text' }, row.text),
    }))
  })
/** The charged SMS segments of a message about a payslip: at most 70 characters, thanks to its short link. */
export const slip_segments = 1
export const invite_segments = 2
export const smsLeft = async (world: World, corp: Corp): Promise<number> =>
  (await world.database.inCompany(corp.company_id, (tx) => tx.selectFrom('company').select('sms_left').executeTakeFirstOrThrow()))
    .sms_left

/** Creates a sender besides the product's: another node, or one with a misbehaving gateway. */
export function sender(
  world: World,
  gateway: CarrierSender,
  pace: Partial<SenderLimits> = {},
  rests: (ms: number) => void = () => undefined,
) {
  return createPayslipSender({
    database: world.database,
    jobs: {
      ...world.product.jobs,
      send: async (_tx, _name, _data, options) => rests(options?.start_after ? options.start_after.getTime() - Date.now() : 0),
    },
    clock: world.clock,
    secrets: world.secrets,
    senders: {
      sms: createChannelSender(gateway),
      getPlatformSender: async () => createChannelSender(gateway),
      getMailSender: async () => createChannelSender(gateway),
    },
    origin: 'http://127.0.0.1:8080',
    log: { error: () => undefined, warn: () => undefined },
    // One run is started by the test and must not end because the machine paused.
    limits: { runMs: 20_000, ...pace },
  })
}
export const untilStopped = { signal: new AbortController().signal, noTransaction }

/** A gateway in memory that records accepted messages by id, and can misbehave before or after it accepts a message. */
export function getGateway(
  behave: {
    before?: (id: string, mobile: string) => Promise<void> | void
    after?: (id: string) => Promise<void> | void
    forgets?: boolean
    /** Keeps no records that could be queried. */
    bookless?: boolean
    /** Accepts this number of messages, then asks to wait until `open()`. */
    takes?: number
    /** Its documented rate limit. */
    pace?: { count: number; perMs: number }
    slow_s?: number
  } = {},
) {
  const accepted: { id: string; mobile: string; text: string; at: number }[] = []
  let room = behave.takes ?? Number.POSITIVE_INFINITY
  let refused = 0
  const gateway = createCarrierSender<null>(
    `memory:${newId()}`,
    {
      describe: () => ({ maxPerCall: 1, rateLimit: behave.pace ?? null, style: 'whole', signature: '薪函', canRecall: false }),
      send: (_, messages) =>
        sendOneByOne(messages, async ({ id, to: mobile, text: message }) => {
          await behave.before?.(id, mobile)
          if (accepted.length >= room) {
            refused += 1
            throw new RateLimitedError(behave.slow_s ?? 30)
          }
          accepted.push({ id, mobile, text: message, at: performance.now() })
          await behave.after?.(id)
          return { ref: `ref-${id}` }
        }),
      async find(_, requested) {
        if (behave.bookless) return requested.map(({ id }) => ({ id, result: 'never_known' }))
        const matches = new Set(behave.forgets ? [] : accepted.map((one) => one.id))
        return requested.map(({ id }) =>
          matches.has(id) ? { id, result: 'accepted', ref: `ref-${id}` } : { id, result: 'not_accepted' },
        )
      },
      recall: (_, messages) => rejectRecalls(messages),
    },
    null,
  )
  return {
    ...gateway,
    accepted,
    /** The number of times that the gateway asked to wait. */
    refused: () => refused,
    open(count = Number.POSITIVE_INFINITY) {
      room = count
    },
    /** Ids that were accepted more than once. */ doubled: () =>
      accepted.map((one) => one.id).filter((id, at, all) => all.indexOf(id) !== at),
  }
}
