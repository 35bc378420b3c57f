/**
 * Attacks by input: every text of every call replaced by what no form would send, variants of addresses, malformed
 * bodies and headers.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { isFull, trial } from '../../support/run/trial.ts'
import { makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller } from '../../support/world.ts'

let all: Caller
const { world, corp, clerk: admin } = demo()
beforeAll(async () => {
  all = await world.signIn(await corp.person({ power: ['4'] }))
})

const nul = String.fromCharCode(0)
/** Half of a surrogate pair, which is not a character by itself and is rejected by jsonb. */
const half = String.fromCharCode(0xd800)
const hostile: unknown[] = [
  nul,
  `a${nul}b`,
  half,
  `好${half}`,
  '０１２',
  '１３８００００００００',
  'x'.repeat(900_000),
  "'; drop table payslip; --",
  '%',
  '{"a":1}',
  '__proto__',
  '0000-01-01',
  '9999-12-31T23:59:59+14:00',
  '2026-02-31',
  '1e3',
  '-0',
  -1,
  1.5,
  2 ** 53,
  2 ** 31,
  1e308,
  true,
  null,
  [],
  ['a'],
  {},
  { length: 3 },
  [[[]]],
]

type Shape = {
  type?: string
  shape?: Record<string, Shape>
  element?: Shape
  innerType?: Shape
  options?: Shape[]
  entries?: object
}
const getShape = (schema: unknown): Shape => (schema as { _zod: { def: Shape } })._zod.def
/** Builds a value that the schema accepts, as far as possible without knowing its meaning. */
function fill(schema: unknown): unknown {
  const def = getShape(schema)
  if (def.type === 'object') return Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, of]) => [name, fill(of)]))
  if (def.type === 'array') return [fill(def.element)]
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default') return fill(def.innerType)
  if (def.type === 'union') return fill(def.options?.[0])
  if (def.type === 'enum') return Object.values(def.entries ?? {})[0]
  if (def.type === 'literal') return (def as unknown as { values: unknown[] }).values[0]
  if (def.type === 'boolean') return true
  if (def.type === 'number') return 1
  const attempts = [
    newId(),
    'c0',
    '2026-10',
    '13800000000',
    '123456',
    '2026-10-01',
    '2026-12-01T00:00:00+08:00',
    'M 1 1',
    '110101199003074477',
    'secret-77!',
  ]
  return attempts.find((one) => (schema as z.ZodMiniType).safeParse(one).success) ?? 'x'
}
/** Yields every path in a value at which something else can be inserted. */
function* places(value: unknown, path: string[] = []): Generator<string[]> {
  if (path.length > 0) yield path
  if (value && typeof value === 'object') for (const [name, inner] of Object.entries(value)) yield* places(inner, [...path, name])
}
function put(value: unknown, [name = '', ...rest]: string[], what: unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[name] = rest.length > 0 ? put(copy[name], rest, what) : what
  return copy
}

/** Real ids for fields whose names require them, so that the text reaches the database. */
let real: Record<string, string>
const withIds = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((one) => withIds(one, name.replace(/s$/, '')))
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withIds(one, key)]))
  return real[name] ?? value
}

describe('hostile values in every field of every call', () => {
  beforeAll(async () => {
    const people = await corp.people(3)
    const draft = await makeBatch(world, admin, people)
    const sent = await makeBatch(world, admin, people)
    const caller = await world.signIn(admin)
    await send(caller, sent, ['link'])
    await world.product.jobs.drain()
    const group = await caller.must(sheet.insertClassify, { batch_id: draft, name: '组' })
    real = {
      batch_id: draft,
      salary_id: (await salaries(world, corp, sent))[0]?.id ?? '',
      member_id: people[0]?.member_id ?? '',
      id: people[1]?.member_id ?? '',
      department_id: corp.root_id,
      class_id: group.class_id,
      mobile: '13912340000',
    }
  })

  const skipped = new Set(['POST /api/index/logout', 'POST /api/wage/clearBatchTitle', 'POST /api/Member/clearMember'])
  // In every run a call with many fields receives every value in some of them, and a call with few fields a twentieth
  // of the values, different from the previous call's.
  const values = { full: hostile.length, sample: Math.ceil(hostile.length / 40), of: 'values' }
  const requested = allCalls.filter((one) => one.requestType !== 'file' && !skipped.has(one.route))
  for (const [number, call] of requested.entries())
    trial('every-field', `${call.route}: answers hostile field values without a server error`, values, async (run) => {
      const base = withIds(fill(call.input)) as object
      const faults: string[] = []
      const fields = [...places(base)]
      const slots = isFull ? 1 : Math.max(20, Math.min(28, fields.length))
      let tried = 0
      for (const [field, path] of fields.entries())
        for (const what of hostile.filter((_, at) => at % slots === (field + number) % slots)) {
          if (call.requestType === 'query' && typeof what !== 'string') continue
          if (call.requestType === 'query' && String(what).length > 10_000) continue
          tried += 1
          const answer = await all.call(call, put(base, path, what))
          if (answer.status >= 500 || answer.code === errorCodes.internal_error.code)
            faults.push(`${path.join('.')} = ${JSON.stringify(what).slice(0, 40)}`)
          expect(answer.message).not.toMatch(/select|insert into|syntax|\/server\/|node_modules|constraint/i)
        }
      run.tried(tried)
      expect(faults).toEqual([])
    })
})

describe('equivalent spellings of addresses', () => {
  const url = '/api/wage/getWageList'
  const call = (path: string, headers: Record<string, string>, method = 'POST' as 'POST' | 'GET' | 'HEAD' | 'PUT') =>
    world.product.app.inject({ method, url: path, headers, ...(method === 'GET' || method === 'HEAD' ? {} : { payload: {} }) })

  it.each([
    '/API/WAGE/GETWAGELIST',
    '/api/wage/getWageList/',
    '/api/wage/getWageLis%74',
    '/%61pi/wage/getWageList',
    '//api/wage/getWageList',
    '/api//wage/getWageList',
    '/api/wage/./getWageList',
    '/api/wage/%2e/getWageList',
    '/api/x/../wage/getWageList',
    '/api/wage/getWageList;a=1',
    '/api/wage/getWageList%00',
    '/api/wage/getWageList%',
    '/api/wage/getWageList?batch_id=1',
    '/api\\wage\\getWageList',
    '/api/wage%2fgetWageList',
    '/api/wage/getWageList%20',
    '/./api/wage/getWageList',
  ])('applies the same access check to the address %s, or answers not found', async (path) => {
    const out = await call(path, {})
    const body = out.json<{ error_code: number }>()
    expect([errorCodes.signed_out.code, errorCodes.not_found.code, errorCodes.invalid.code], path).toContain(body.error_code)
    const employee = await world.signIn(await corp.person())
    const in_ = await call(path, employee.headers)
    expect([errorCodes.not_permitted.code, errorCodes.not_found.code, errorCodes.invalid.code]).toContain(
      in_.json<{ error_code: number }>().error_code,
    )
    const current = await call(path, all.headers)
    if (current.json<{ error_code: number }>().error_code === 0) expect(current.headers['cache-control']).toBe('no-store')
  })

  it.each(['GET', 'HEAD', 'PUT'] as const)('refuses %s on a POST call', async (method) => {
    expect((await call(url, all.headers, method)).statusCode).toBe(404)
  })
})

describe('malformed bodies and headers', () => {
  const post = (payload: string | Buffer, headers: Record<string, string> = {}, path = '/api/wage/getWageList') =>
    world.product.app.inject({
      method: 'POST',
      url: path,
      headers: { ...all.headers, 'content-type': 'application/json', ...headers },
      payload,
    })

  it.each([
    ['2 MB', JSON.stringify({ name: 'x'.repeat(2_000_000) }), 413],
    ['half', '{"page":', 400],
    ['a `__proto__` key', '{"__proto__":{"power":["4"]}}', 400],
    ['a `constructor` key', '{"constructor":{"prototype":{"power":["4"]}}}', 400],
    ['empty', '', 400],
    ['a number', '7', 200],
    ['a list', '[]', 200],
    ['null', 'null', 200],
    ['deep', '['.repeat(400_000) + ']'.repeat(400_000), 400],
    ['a `__proto__` key in another spelling', '{"__\\u0070roto__":{"power":["4"]}}', 400],
    ['a hundred thousand keys', `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join(',')}}`, 200],
    ['duplicate keys', '{"page":1,"page":"x"}', 200],
  ])('answers a malformed body without a server error: %s', async (_, body, status) => {
    const answer = await post(body)
    expect(answer.statusCode).toBe(status)
    expect(answer.json<{ error_code: number }>().error_code).not.toBe(errorCodes.internal_error.code)
    expect(({} as Record<string, unknown>).power).toBeUndefined()
  })

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ])('refuses the content type %s', async (type, status) => {
    expect((await post('{}', { 'content-type': type })).statusCode).toBe(status)
  })

  it('refuses malformed tokens and cookies', async () => {
    for (const token of [
      'x'.repeat(8_000),
      `${nul}`,
      'a, b',
      '=',
      '..',
      all.headers['user-token']?.toUpperCase() ?? '',
      ` ${all.headers['user-token']}x`,
    ]) {
      const answer = await post('{}', { 'user-token': token })
      expect([200, 400]).toContain(answer.statusCode)
      expect(answer.json<{ error_code: number }>().error_code).not.toBe(0)
    }
    for (const cookie of [
      'sid=',
      `sid=${'x'.repeat(6_000)}`,
      'sid=a; sid=b',
      `sid=%00`,
      'sid=%',
      '__Host-sid=1',
      'XSRF-TOKEN=1',
    ]) {
      const answer = await post('{}', { cookie })
      expect(answer.json<{ error_code: number }>().error_code).toBe(errorCodes.signed_out.code)
    }
  })

  it('ignores fields that no form sends, such as company, powers and owners', async () => {
    const other = await world.createCompany()
    const extra = {
      company_id: other.company_id,
      corp_id: other.company_id,
      admin_id: newId(),
      power: ['4'],
      scope: { all: true },
      owner_id: newId(),
      status: 'sent',
    }
    const employee = await world.signIn(await corp.person())
    expect((await employee.call(slip.getWageList, extra as never)).code).toBe(errorCodes.not_permitted.code)
    const plain = await all.must(slip.getWageList, {})
    expect(await all.must(slip.getWageList, { ...extra, status: undefined })).toEqual(plain)
    const { id } = await all.must(member.insertMember, { name: '新人', mobile: '13912349999', ...extra })
    const row = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('member').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    )
    expect([row.company_id, row.status, row.account_id]).toEqual([corp.company_id, 'invited', null])
  })
})

describe('malformed files', () => {
  const upload = (caller: Caller, name: string, bytes: Buffer) =>
    caller.call(sheet.uploadWageExcel, {}, { file: { name, bytes } })
  const csv = (head: string, ...rows: string[]) => Buffer.from([head, ...rows].join('\n'))

  it('accepts column headers that are JavaScript property names', async () => {
    const caller = await world.signIn(admin)
    const [one] = await corp.people(1)
    const answer = await upload(
      caller,
      'a.csv',
      csv('姓名,手机号,__proto__,constructor,toString,实发工资', `${one?.name},${one?.mobile},1,2,3,100.00`),
    )
    expect([answer.code, answer.message]).toEqual([0, ''])
    expect(answer.data.columns.map((column) => column.label)).toContain('__proto__')
    await caller.must(sheet.insertBatchTitle, { batch_id: answer.data.batch_id, title: '怪表', month: '2026-10' })
    await send(caller, answer.data.batch_id, ['link'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('handles characters that the database cannot store in a header, a name and a cell', async () => {
    const caller = await world.signIn(admin)
    const [one] = await corp.people(1)
    // The value is beyond the first 64 kB, in which text is distinguished from binary data.
    const filler = Array.from(
      { length: 3_000 },
      (_, at) => `员工甲${at},1390000${String(at).padStart(4, '0')},100.00,正常的一行文字`,
    )
    const answer = await upload(
      caller,
      'a.csv',
      csv('姓名,手机号,实发工资,备注', ...filler, `${one?.name}${nul},${one?.mobile},100.00,a${nul}b`),
    )
    expect([0, errorCodes.unreadable_sheet.code], answer.message).toContain(answer.code)
    if (answer.code === 0) {
      const { batch_id } = answer.data
      await caller.must(sheet.insertBatchTitle, { batch_id, title: '零', month: '2026-10' })
      const checked = await caller.call(sheet.checkWageData, { batch_id })
      expect(checked.code).toBe(0)
      const made = await caller.call(sheet.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
      expect([0, errorCodes.invalid.code]).toContain(made.code)
    }
  })

  it('handles UTF-16 with half surrogate pairs and NUL in the header', async () => {
    const caller = await world.signIn(admin)
    const text = `\ufeff姓名,手机号,实发${half}工资,备${nul}注,实发工资\n张三,13800001111,1,x,100.00\n李四,13800001112,1,x,100.00`
    const answer = await upload(caller, 'a.csv', Buffer.from(text, 'utf16le'))
    expect([0, errorCodes.unreadable_sheet.code], answer.message).toContain(answer.code)
  })

  it('handles escaped characters of a workbook', async () => {
    const caller = await world.signIn(admin)
    const [one] = await corp.people(1)
    const head = ['姓名', '手机号', '实发工资', '备_x0000_注', '奖_xD800_金', `${'长'.repeat(59)}😀`]
    const rows = [
      head,
      [one?.name ?? '', one?.mobile ?? '', 100, 'a_x0000_b', 1, 2],
      ['没人_x0000_', '13912347777', 100, 'c', 2, 3],
    ]
    const answer = await upload(caller, 'a.xlsx', makeXlsx({ sheets: [{ name: 'Sheet1', rows }] }))
    expect([answer.code, answer.message]).toEqual([0, ''])
    const { batch_id } = answer.data
    await caller.must(sheet.insertBatchTitle, { batch_id, title: '拼写', month: '2026-10' })
    const made = await caller.call(sheet.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
    expect(made.message).not.toMatch(/服务出了问题/)
  })

  it('handles amounts beyond the countable range', async () => {
    const caller = await world.signIn(admin)
    const people = await corp.people(3)
    const rows = people.map((one) => `${one.name},${one.mobile},90000000000000.00,90000000000000.00`)
    const answer = await upload(caller, 'a.csv', csv('姓名,手机号,应发工资,实发工资', ...rows))
    expect([0, errorCodes.unreadable_sheet.code], answer.message).toContain(answer.code)
    if (answer.code !== 0) return
    const { batch_id } = answer.data
    await caller.must(sheet.insertBatchTitle, { batch_id, title: '天文', month: '2026-10' })
    const checked = await caller.call(sheet.checkWageData, { batch_id })
    expect([checked.code, checked.message]).toEqual([0, ''])
  })

  it('creates a member in a new department inside a limited scope', async () => {
    const department = await corp.department('一部')
    const caller = await world.signIn(
      await corp.person({ power: ['2'], department_ids: [department], scope: { all: false, department_ids: [department] } }),
    )
    const answer = await upload(
      caller,
      'a.csv',
      csv('姓名,手机号,部门,实发工资', '新来的,13912348888,新小组,100.00', '又一个,13912348887,新小组,100.00'),
    )
    const { batch_id } = answer.data
    await caller.must(sheet.insertBatchTitle, { batch_id, title: '新组', month: '2026-10' })
    const made = await caller.must(sheet.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
    expect([made.counts.errors, made.counts.status]).toEqual([0, 'checked'])
  })

  it('handles form fields with JavaScript property names, or too many fields', async () => {
    const form = (fields: [string, string][]) => {
      const lines = fields
        .map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join('')
      return world.product.app.inject({
        method: 'POST',
        url: '/api/wage/uploadWageExcel',
        headers: { ...all.headers, 'content-type': 'multipart/form-data; boundary=b' },
        payload: `${lines}--b--\r\n`,
      })
    }
    for (const fields of [
      [['__proto__', 'x']],
      [['constructor', 'x']],
      [['sheet', nul]],
      [['sheet', 'x'.repeat(20_000)]],
      Array.from({ length: 500 }, (_, at) => [`f${at}`, '1']),
    ] as [string, string][][]) {
      const answer = await form(fields)
      expect(answer.statusCode, JSON.stringify(fields).slice(0, 60)).toBeLessThan(500)
      expect(answer.json<{ error_code: number }>().error_code).not.toBe(0)
    }
  })
})
