/** Downloads and their tickets. Refusals first. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as fileCalls from '../../../server/contract/files/files.ts'
import { readFile, sanitizeFileName, saveFile } from '../../../server/files/stored-files.ts'
import { chooseFileName } from '../../../server/modules/files/downloads.ts'
import { newId } from '../../../server/shared/ids.ts'
import { getOutcome, inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import { type Caller, type Person } from '../../support/world.ts'

const bytes = Buffer.alloc(600_000, '张三，实发 8,421.37；')

const { world, corp, clerk, payroll: wages } = demo({ own: true })

type Options = { name?: string; kind?: 'export' | 'image'; expires_at?: Date }
const put = (who: Person, { name = '明细.xlsx', kind = 'export', ...more }: Options = {}) =>
  inside(world, who, (ctx) => saveFile(ctx, { kind, name, bytes, ...more }))
const ticket = async (who = wages, file_id?: string) =>
  (await who.must(fileCalls.getDownloadTicket, { file_id: file_id ?? (await put(clerk)) })).oss_path
const cookieOnly = (who: Caller) => ({ cookie: who.headers.cookie ?? '' })
/** Sends the request like a browser navigation, with the cookie and without the header token. */
const navigate = (query: Record<string, string>, headers: Record<string, string> = cookieOnly(wages)) =>
  world.product.app.inject({ method: 'GET', url: fileCalls.download.path, query, headers })
const refused = async (query: Record<string, string>, headers?: Record<string, string>) => {
  const response = await navigate(query, headers)
  expect(response.json()).toMatchObject({ error_code: 100404 })
  expect(response.headers['content-disposition']).toBeUndefined()
  return response
}

describe('refusals', () => {
  it.each(['../../etc/passwd', '/etc/passwd', '%2e%2e%2f', 'https://evil.example/x', 'x', "' or 1=1 --"])(
    'refuses %s as a download ticket',
    async (oss_path) => {
      await refused({ oss_path })
    },
  )

  it('requires the cookie of the same session for a download ticket, and keeps the ticket for its owner', async () => {
    const oss_path = await ticket()
    const colleague = await world.signIn(await corp.person({ power: ['2'] }))
    const sameAccount = await world.signIn(clerk)
    await refused({ oss_path }, {})
    await refused({ oss_path }, cookieOnly(colleague))
    await refused({ oss_path }, cookieOnly(sameAccount))
    expect((await navigate({ oss_path })).rawPayload.equals(bytes)).toBe(true)
  })

  it('expires a download ticket after 60 seconds', async () => {
    const [late, inTime] = [await ticket(), await ticket()]
    world.clock.advance(59_000)
    expect((await navigate({ oss_path: inTime })).statusCode).toBe(200)
    world.clock.advance(1_000)
    await refused({ oss_path: late })
  })

  it('accepts a download ticket once among simultaneous requests', async () => {
    const oss_path = await ticket()
    const answers = await Promise.all(Array.from({ length: 10 }, () => navigate({ oss_path })))
    expect(answers.filter((one) => one.headers['content-disposition'])).toHaveLength(1)
    await refused({ oss_path })
  })

  it('ends a download ticket with its session', async () => {
    const other = await world.signIn(clerk)
    const oss_path = await ticket(other)
    await other.must(account.logout)
    await refused({ oss_path }, cookieOnly(other))
  })

  it('checks access again when the file is fetched', async () => {
    const former = await corp.person({ power: ['2'] })
    const who = await world.signIn(former)
    const oss_path = await ticket(who, await put(former))
    await inside(world, clerk, ({ db }) =>
      db
        .updateTable('admin')
        .set({ power: ['3'] })
        .where('id', '=', former.admin_id ?? '')
        .execute(),
    )
    await refused({ oss_path }, cookieOnly(who))
  })

  it("issues tickets for the user's own files only, and answers identically for foreign and nonexistent ones", async () => {
    const outsider = await (await world.createCompany()).person({ power: ['2'] })
    const colleague = await corp.person({ power: ['2'] })
    const answers = []
    for (const file_id of [await put(outsider), await put(colleague), newId()])
      answers.push(await wages.call(fileCalls.getDownloadTicket, { file_id }))
    for (const { code, message } of answers) expect([code, message]).toEqual([100404, answers[0]?.message])
  })

  it('issues no ticket for payslips to a user who has lost access', async () => {
    const plain = await corp.person()
    const file_id = await put(plain)
    expect((await (await world.signIn(plain)).call(fileCalls.getDownloadTicket, { file_id })).code).toBe(100404)
    const image = await put(plain, { kind: 'image', name: 'a.png' })
    expect((await (await world.signIn(plain)).call(fileCalls.getDownloadTicket, { file_id: image })).code).toBe(0)
  })
})

describe('download', () => {
  it('sends a download as an attachment with no caching and no content sniffing', async () => {
    const { headers } = await navigate({ oss_path: await ticket(), file_name: '十月 明细.xlsx' })
    expect(headers['content-disposition']).toContain(`filename*=UTF-8''${encodeURIComponent('十月 明细.xlsx')}`)
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[\x20-\x7e]*";/)
    expect(headers['content-type']).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toContain('no-store')
    expect(Number(headers['content-length'])).toBe(bytes.length)
  })

  it.each([
    ['明细.xlsx', 'evil.html', 'evil.xlsx'],
    ['明细.xlsx', '../../x', 'x.xlsx'],
    ['明细.xlsx', 'a\r\nSet-Cookie: b=c', 'aSet-Cookie b=c.xlsx'],
    ['明细.xlsx', 'gnp.\u202excod', 'gnp.xlsx'],
    ['明细.xlsx', '', '明细.xlsx'],
    ['明细.xlsx', '...', '明细.xlsx'],
    ['明细.xlsx', undefined, '明细.xlsx'],
  ])('names a download of %s, requested as %j, %s', (stored, wished, expected) => {
    expect(chooseFileName(stored, wished)).toBe(expected)
  })

  it("limits the length of a download's file name", () => {
    expect([...sanitizeFileName(`${'长'.repeat(4000)}.xlsx`)]).toHaveLength(120)
    expect(sanitizeFileName('\u0000/..')).toBe('未命名')
  })
})

describe('stored files', () => {
  it('encrypts stored files chunk by chunk, bound to their position', async () => {
    const id = await put(clerk)
    const chunks = await inside(world, clerk, ({ db }) =>
      db.selectFrom('file_chunk').select(['id', 'position', 'sealed']).where('file_id', '=', id).orderBy('position').execute(),
    )
    expect(chunks.map((chunk) => chunk.position)).toEqual([0, 1, 2])
    for (const chunk of chunks) expect(chunk.sealed.includes(Buffer.from('8,421.37'))).toBe(false)
    await inside(world, clerk, async (ctx) => {
      await sql`update file_chunk set position = 2 - position + 10 where file_id = ${id}`.execute(ctx.db)
      await sql`update file_chunk set position = position - 10 where file_id = ${id}`.execute(ctx.db)
      await expect(readFile(ctx, id)).rejects.toThrow()
    })
  })

  it('does not decrypt a stored file with a missing chunk', async () => {
    const id = await put(clerk)
    await inside(world, clerk, async (ctx) => {
      await ctx.db.deleteFrom('file_chunk').where('file_id', '=', id).where('position', '=', 2).execute()
      await expect(readFile(ctx, id)).rejects.toThrow('damaged')
    })
  })

  it('expires and deletes stored files', async () => {
    const id = await put(clerk, { expires_at: new Date(world.clock.now().getTime() + 1000) })
    expect((await inside(world, clerk, (ctx) => readFile(ctx, id))).bytes.equals(bytes)).toBe(true)
    world.clock.advance(2000)
    expect(await getOutcome(inside(world, clerk, (ctx) => readFile(ctx, id)))).toMatchObject({ error: 'not_found' })
    expect((await wages.call(fileCalls.getDownloadTicket, { file_id: id })).code).toBe(100404)
    await put(clerk)
    const rest = await inside(world, clerk, ({ db }) =>
      db.selectFrom('file_chunk').select('id').where('file_id', '=', id).execute(),
    )
    expect(rest).toEqual([])
  })

  it('allows empty stored files', async () => {
    const id = await inside(world, clerk, (ctx) => saveFile(ctx, { kind: 'export', name: '空.csv', bytes: Buffer.alloc(0) }))
    expect(await inside(world, clerk, (ctx) => readFile(ctx, id))).toEqual({ name: '空.csv', bytes: Buffer.alloc(0) })
  })
})
