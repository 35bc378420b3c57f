/**
 * The chain of the audit log: whoever owns the database can change, delete, insert, back-date or swap rows, but the
 * verification names the first such entry; requests at the same time leave a complete chain.
 */
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTimeStampClient } from '../../../platform/wire/time-stamp.ts'
import { insertDepartment } from '../../../server/contract/directory/members.ts'
import { columnTypeParsers } from '../../../server/database/column-types.ts'
import type { Tables } from '../../../server/database/tables.ts'
import { anchorAuditLogs, digestAnchor, type StampText } from '../../../server/http/audit-anchor.ts'
import { computeLinkHash, createAuditLinker, entryDigestSql, linkAuditBatch } from '../../../server/http/audit-chain.ts'
import { listAnchors, verifyAnchors, verifyAuditLog, verifyCompanyAuditLog } from '../../../server/http/audit-verification.ts'
import { requestTimeStamp, verifyTimeStamp } from '../../../server/modules/payslip-records/index.ts'
import { createLogger } from '../../../server/observability/log.ts'
import { newId } from '../../../server/shared/ids.ts'
import { openAuthority } from '../../support/outside/time-stamps.ts'
import { type Random, seeded } from '../../support/random.ts'
import { asOwner } from '../../support/run/database.ts'
import { type Caller, type Corp, startWorld, type World } from '../../support/world.ts'

let world: World
let corp: Corp
let manager: Caller
const log = createLogger('silent')
const signal = new AbortController().signal
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const getLinker = () => createAuditLinker({ ...world, log })
async function startCompany(): Promise<void> {
  corp = await world.createCompany()
  manager = await world.signIn(await corp.person({ power: ['4'] }))
}
const addDepartment = (name: string) => manager.must(insertDepartment, { name, pid: corp.root_id })
/** Makes calls that are logged, and links their entries. */
async function writeEntries(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await addDepartment(`部门 ${newId().slice(-12)}`)
  await getLinker().link(corp.company_id)
}
const change = (text: string, values: readonly unknown[] = []) =>
  asOwner(world, async (client) => {
    await client.query(`select set_config('app.company', $1, false)`, [corp.company_id])
    // The owner of a table can switch off its triggers.
    await client.query('alter table audit_log_entry disable trigger user')
    const result = await client.query<{ id: string }>(text, [corp.company_id, ...values])
    await client.query('alter table audit_log_entry enable trigger user')
    return result.rows
  })

async function verify() {
  const anchors = verifyAnchors(await listAnchors(world.database), verifyTimeStamp)
  const verified = await verifyCompanyAuditLog(world, corp.company_id, anchors.heads)
  return { ...verified, problem: anchors.problem ?? verified.problem }
}
const anchor = (stampText: StampText | null = null) => anchorAuditLogs({ ...world, linker: getLinker(), log, stampText }, signal)
const getId = async (seq: number): Promise<string> =>
  (await change('select id from audit_log_entry where company_id = $1 and seq = $2', [seq]))[0]?.id ?? ''

describe('a log that nobody touched', () => {
  it('is complete after fifty concurrent calls, linked by two servers at once', async () => {
    await startCompany()
    await Promise.all(Array.from({ length: 50 }, (_, at) => addDepartment(`部门 ${at}`)))
    await Promise.all([getLinker().link(corp.company_id), getLinker().link(corp.company_id), getLinker().link(corp.company_id)])
    const verified = await verify()
    expect(verified).toMatchObject({ unlinked: 0, problem: null })
    expect(verified.entries).toBeGreaterThanOrEqual(50)
  })

  it('is linked within seconds after a call, without a job', async () => {
    await startCompany()
    const linker = getLinker()
    linker.start()
    await addDepartment('部门')
    linker.touch(corp.company_id)
    await linker.stop()
    expect(await verify()).toMatchObject({ entries: 1, unlinked: 0, problem: null })
  })

  it('has entries that were waiting since a server stopped days ago, and links a backlog as one batch', async () => {
    await startCompany()
    await writeEntries(1)
    await addDepartment('部门')
    const insert = `insert into audit_log_entry (company_id, id, at, call, outcome)
      select $1, gen_random_uuid(), $2::timestamptz + n * interval '1 second', 'test', 'done' from generate_series(1, 4100) n`
    const now = world.clock.now()
    await change(insert, [now])
    const later = new Date(now.getTime() + 3 * 86_400_000)
    const link = () =>
      world.database.inCompany(corp.company_id, async (tx) =>
        linkAuditBatch({
          db: tx,
          company_id: corp.company_id,
          vault: await world.secrets.vault(tx, corp.company_id),
          now: later,
        }),
      )
    while ((await link()).has_more);
    expect(await verify()).toMatchObject({ entries: 4102, problem: null })
  })

  it('cannot be linked a second time or changed by the application', async () => {
    await startCompany()
    await writeEntries(1)
    const update = (set: object) =>
      world.database.inCompany(corp.company_id, (tx) =>
        tx.updateTable('audit_log_entry').set(set).where('company_id', '=', corp.company_id).execute(),
      )
    await expect(update({ seq: 9 })).rejects.toThrow('linked once')
    await expect(update({ outcome: 'x' })).rejects.toThrow('permission denied')
  })
})

describe('a log that the owner of the database touched', () => {
  const entry = (seq: number, id: string) => expect.stringMatching(new RegExp(`^第 ${seq} 条（${id}.*被改动过`))
  const changes: readonly (readonly [string, string])[] = [
    ['the name', `name = '别人'`],
    ['the call', `call = 'x'`],
    ['the outcome', `outcome = 'not_permitted'`],
    ['the details', `details = details || '{"member_id": "x"}'`],
    ['the account', 'account_id = gen_random_uuid()'],
    ['the address', `address = '10.0.0.1'`],
    ['the time by a microsecond', `at = at - interval '1 microsecond'`],
    ['the time of linking', `linked_at = linked_at - interval '1 day'`],
  ]
  it.each(changes)('names an entry with another value of %s', async (_, set) => {
    await startCompany()
    await writeEntries(4)
    const id = await getId(3)
    await change(`update audit_log_entry set ${set} where company_id = $1 and seq = 3`)
    expect((await verify()).problem).toEqual(entry(3, id))
  })

  it('names deleted entries in the middle and at the end, and all of them once they were anchored', async () => {
    await startCompany()
    await writeEntries(6)
    await change('delete from audit_log_entry where company_id = $1 and seq = 6')
    expect((await verify()).problem).toBe('缺少第 6 条')
    await change('delete from audit_log_entry where company_id = $1 and seq in (2, 3)')
    expect((await verify()).problem).toBe('缺少第 2 条到第 3 条')
    await change('delete from audit_log_entry where company_id = $1')
    expect((await verify()).problem).toBe('缺少第 1 条到第 6 条')
    await change('delete from audit_log_head where company_id = $1')
    await writeEntries(1)
    expect((await verify()).problem).toBeNull()
    await anchor()
    await change('delete from audit_log_head where company_id = $1')
    await change('delete from audit_log_entry where company_id = $1')
    expect((await verify()).problem).toBe('缺少第 1 条')
  })

  it('names an entry that was changed with all hashes behind it computed again, for want of the key', async () => {
    const other = await world.createCompany()
    await startCompany()
    await writeEntries(3)
    await change(`update audit_log_entry set name = '别人' where company_id = $1 and seq = 2`)
    // Whoever has the database can read how the hashes are made, but has no key of this company.
    const vault = await world.database.inCompany(other.company_id, (tx) => world.secrets.vault(tx, other.company_id))
    const rows = (await change(
      `select seq::int, linked_at, encode(hash, 'hex') as hash, ${entryDigestSql} as digest from audit_log_entry
        where company_id = $1 order by seq`,
    )) as unknown as { seq: number; linked_at: Date; hash: string; digest: string }[]
    let previous = rows[0]?.hash ?? ''
    for (const { seq, linked_at, digest } of rows.slice(1)) {
      const hash = computeLinkHash(vault, { previous, seq, linked_at: linked_at.toISOString(), digest })
      await change('update audit_log_entry set hash = $3::bytea where company_id = $1 and seq = $2', [seq, hash])
      previous = hash.toString('hex')
    }
    await change('update audit_log_head set hash = $2::bytea where company_id = $1', [Buffer.from(previous, 'hex')])
    expect((await verify()).problem).toEqual(entry(2, await getId(2)))
  })

  it('names an entry after those behind a deleted one were numbered again', async () => {
    await startCompany()
    await writeEntries(4)
    const id = await getId(3)
    await change('delete from audit_log_entry where company_id = $1 and seq = 2')
    for (const seq of [3, 4])
      await change('update audit_log_entry set seq = $2::bigint - 1 where company_id = $1 and seq = $2', [seq])
    await change('update audit_log_head set seq = 3 where company_id = $1')
    expect((await verify()).problem).toEqual(entry(2, id))
  })

  it('names the first of two swapped entries', async () => {
    await startCompany()
    await writeEntries(4)
    const id = await getId(3)
    await change('update audit_log_entry set seq = -2 where company_id = $1 and seq = 2')
    await change('update audit_log_entry set seq = 2 where company_id = $1 and seq = 3')
    await change('update audit_log_entry set seq = 3 where company_id = $1 and seq = -2')
    expect((await verify()).problem).toEqual(entry(2, id))
  })

  it('names an inserted entry that is dated before others, whether it was linked or not', async () => {
    await startCompany()
    await writeEntries(3)
    const id = newId()
    const insert = `insert into audit_log_entry (company_id, id, at, call, outcome) values ($1, $2, $3, 'x', 'done')`
    await change(insert, [id, new Date(world.clock.now().getTime() - 7_200_000)])
    expect((await verify()).problem).toContain(`记录 ${id}`)
    world.clock.advance(1_000)
    await getLinker().link(corp.company_id)
    expect((await verify()).problem).toMatch(new RegExp(`^第 4 条（${id}.*时间被提前了`))
  })

  it('names a cut that also set the end of the chain back, by its anchor', async () => {
    await startCompany()
    await writeEntries(2)
    await anchor()
    const [head] = await change('select hash::text as id from audit_log_head where company_id = $1')
    await writeEntries(2)
    await anchor()
    await change('delete from audit_log_entry where company_id = $1 and seq > 2')
    await change('update audit_log_head set seq = 2, hash = $2::bytea where company_id = $1', [head?.id])
    expect((await verify()).problem).toBe('缺少第 3 条到第 4 条')
  })
})

describe('a thousand random tamperings', () => {
  const texts = ['name', 'call', 'outcome', 'address', 'request_id']
  /** One statement of the owner; every kind hits a random entry. */
  function tamper(random: Random): string {
    const seq = 1 + random.below(60)
    const of = `where company_id = $1 and seq = ${seq}`
    const other = 1 + ((seq + random.below(58)) % 60)
    const kinds = [
      `update audit_log_entry set ${random.pick(texts)} = 'x' ${of}`,
      `update audit_log_entry set at = at - interval '${1 + random.below(1_000_000)} seconds' ${of}`,
      `update audit_log_entry set account_id = null, details = '{}' ${of}`,
      `delete from audit_log_entry ${of}`,
      `delete from audit_log_entry where company_id = $1 and seq >= ${seq}`,
      `with moved as (select * from audit_log_entry where company_id = $1 and seq = ${other})
        update audit_log_entry e set details = moved.details, call = moved.call, request_id = moved.request_id from moved
        where e.company_id = $1 and e.seq = ${seq}`,
      `update audit_log_entry set hash = sha256('x') ${of}`,
      `insert into audit_log_entry (company_id, id, at, call, outcome) values ($1, gen_random_uuid(), now() - interval '3 years', 'x', 'done')`,
    ]
    return random.pick(kinds)
  }

  it('are all detected', async () => {
    await startCompany()
    await writeEntries(60)
    const random = seeded(20_261_129)
    const vault = await world.database.inCompany(corp.company_id, (tx) => world.secrets.vault(tx, corp.company_id))
    const kysely = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new Pool({ ...world.owner, types: columnTypeParsers }) }),
    })
    await sql`alter table audit_log_entry disable trigger user`.execute(kysely)
    const missed: string[] = []
    for (let at = 0; at < 1_000; at += 1) {
      const statement = tamper(random)
      const tx = await kysely.startTransaction().execute()
      await tx.executeQuery(CompiledQuery.raw(statement, [corp.company_id]))
      if ((await verifyAuditLog({ db: tx, company_id: corp.company_id, vault })).problem === null) missed.push(statement)
      await tx.rollback().execute()
    }
    await sql`alter table audit_log_entry enable trigger user`.execute(kysely)
    await kysely.destroy()
    expect(missed).toEqual([])
  })
})

describe('anchors', () => {
  const anchorRows = () =>
    world.database.withoutCompany((tx) => tx.selectFrom('audit_log_anchor').selectAll().orderBy('seq').execute())
  const edit = (text: string) => asOwner(world, (client) => client.query(text))

  it('are stamped by the authority, and written without it when it fails', async () => {
    const authority = await openAuthority()
    await startCompany()
    await writeEntries(1)
    await anchor((text) => requestTimeStamp(text, createTimeStampClient(authority.url)))
    authority.close()
    await writeEntries(1)
    await anchor((text) => requestTimeStamp(text, () => Promise.reject(new Error('no route'))))
    const [stamped, plain] = (await anchorRows()).slice(-2)
    expect(verifyTimeStamp(stamped?.token ?? Buffer.alloc(0), stamped?.digest ?? Buffer.alloc(0)).authority).toBe(
      '试用时间戳机构',
    )
    expect(plain?.token).toBeNull()
    expect((await verify()).problem).toBeNull()
  })

  it('are written only where an end has moved', async () => {
    await startCompany()
    await writeEntries(1)
    await anchor()
    const before = (await anchorRows()).length
    await anchor()
    expect((await anchorRows()).length).toBe(before)
  })

  it('name the hash of the end, follow one another and carry the stamp of their own text', async () => {
    await startCompany()
    await writeEntries(1)
    await anchor()
    const [hash] = await change(`select encode(hash, 'hex') as id from audit_log_entry where company_id = $1 and seq = 1`)
    const rows = await anchorRows()
    const last = rows.at(-1)
    if (!last) throw new Error('no anchor')
    const verifyRows = (changed: typeof rows) => verifyAnchors(changed, verifyTimeStamp).problem
    /** An anchor whose digest was computed again after its text was changed. */
    const rewrite = (from: string, to: string) => {
      const content = last.content.replace(from, to)
      return [...rows.slice(0, -1), { ...last, content, digest: digestAnchor(content) }]
    }
    expect(verifyRows(rows)).toBeNull()
    expect(verifyRows(rewrite('previous ', 'previous 0'))).toBe(`锚点 ${last.seq} 和上一个锚点接不上`)
    const forged = verifyAnchors(rewrite(hash?.id ?? '', '0'.repeat(64)), verifyTimeStamp).heads
    expect((await verifyCompanyAuditLog(world, corp.company_id, forged)).problem).toMatch(`和锚点 ${last.seq} 不一致`)
    const stamped = rows.find(({ token }) => token)
    expect(verifyRows([...rows.slice(0, -1), { ...last, token: stamped?.token ?? null }])).toBe(`锚点 ${last.seq} 的时间戳不成立`)
  })

  it('are missed when one is deleted, and named when one was changed', async () => {
    const last = (await anchorRows()).at(-1)
    await edit(`update audit_log_anchor set content = content || 'x' where seq = ${last?.seq}`)
    expect((await verify()).problem).toBe(`锚点 ${last?.seq} 被改动过`)
    await edit(`delete from audit_log_anchor where seq = 1`)
    expect((await verify()).problem).toBe('缺少锚点 1')
  })
})
