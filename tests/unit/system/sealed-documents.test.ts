/**
 * Encrypted documents on disk: versions, upgrades, errors that name the kind and no value; and no change of shape
 * without another version.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { openPlan, serializePlan } from '../../../server/modules/directory/import/plan-document.ts'
import { openReadRoster, sealReadRoster } from '../../../server/modules/directory/import/read-document.ts'
import { openUndo, sealUndo } from '../../../server/modules/directory/import/undo-document.ts'
import { payslipContentDocument } from '../../../server/modules/payslip-records/payslip-content.ts'
import {
  deserializePage,
  openCells,
  openPage,
  sealCells,
  sealPage,
  serializePackedPage,
  serializePage,
} from '../../../server/modules/sheets/rows/sealed.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import '../../../server/modules/platform-binding/calls.ts'
import '../../../server/modules/reports/calls.ts'
import '../../../server/modules/company/calls.ts'
import '../../../server/modules/directory/calls.ts'
import '../../../server/modules/sheets/calls.ts'
import '../../../server/modules/payslips/calls.ts'
import '../../../server/modules/tax/calls.ts'
import { DocumentFormatError, defineDocument, documentTypes } from '../../../server/crypto/sealed-document.ts'
import { Vault } from '../../../server/crypto/secrets.ts'

const position = { table: 'payslip', row: 'a', column: 'cells' }
const vault = new Vault('a company', new Map([[1, Buffer.alloc(32, 7)]]))

/**
 * Version and shape by kind. When a shape changes, raise its version, add the upgrade from the previous one, and write
 * the new line.
 */
const shapes = {
  'answers to an import': '1 adc6fe2fb13019eb',
  'mail content': '1 e97b810916bbf2f7',
  'page of a sheet': '1 f0444437ff5e8469',
  'plan of an import': '1 9ac9eafa51de2779',
  receipt: '1 44047d2a06800f57',
  'application to verify': '1 9b1c16e81c1604b5',
  'business info of a company': '1 ec46ff541e5dfeb5',
  'changes of a member': '1 1950804e73c7372d',
  'chart figures': '1 f098d358ed4035a2',
  'checked totals': '1 2e6265376e89bfff',
  confirmation: '1 ecc5c88fd4da14fa',
  'deductions of a member': '1 e601fb0b2e387650',
  'groups of a chart': '1 8d8f4043be8255d0',
  'insurance of a member': '1 4684865f0dfba244',
  'layout of a template': '1 5f1533e88380b16f',
  'names of a sheet': '1 1fba9d2685e4233b',
  'names of an upload': '1 9ae11b0aa6dcac73',
  'private fields of a member': '1 ae385f8e7d0d0f16',
  'reason of a tax period': '1 e51386a62706f34a',
  'read roster': '1 b49301aecee21282',
  'sheets of a roster': '1 5a720f41638065be',
  'test send': '1 e44e98dec2e62819',
  'sheet layout': '1 c068c959288d228c',
  'sheet edit': '1 ee83ebe47205140a',
  'column mapping of a wage sheet': '2 65ea45e75081883e',
  'sheet row': '1 04f93fd25040bfcb',
  'payslip change': '1 c9c45aa046dc3163',
  'payslip content': '1 85d86fd4f2209341',
  'payslip layout': '1 d5d0e5c5c019ca06',
  'tax income': '1 313b410ddaf8e51a',
  'tax result': '1 293451661207ecef',
  'tax year of a member': '1 225752a9e76b3817',
  'totals of a plan': '1 57f1b17a9a95a8c4',
  'totals of a tax period': '1 b972a19d608ba7ca',
  'undo of an import': '1 d1396c23c9f1ec74',
  'recognition of a wage sheet': '2 5927af5e948958a0',
  'summary of an import': '1 c8e5826b170fb6eb',
}

describe('kinds of encrypted documents', () => {
  const digest = (schema: z.ZodMiniType) =>
    createHash('sha256')
      .update(JSON.stringify(z.toJSONSchema(schema)))
      .digest('hex')
      .slice(0, 16)
  it('the list of encrypted documents is complete, and no shape changed without another version', () => {
    const own = [...documentTypes.values()].filter(({ kind }) => !kind.endsWith(' of a test'))
    const matches = own.map(({ kind, version, schema }) => [kind, `${version} ${digest(schema)}`])
    expect(Object.fromEntries(matches.toSorted())).toEqual(shapes)
  })
})

describe('encrypted document', () => {
  const notes = defineDocument<{ lines: string[]; by: string }>({
    kind: 'note of a test',
    version: 3,
    schema: z.object({ lines: z.array(z.string()), by: z.string() }),
    upgrades: {
      1: ({ text, ...rest }) => ({ ...rest, lines: [text] }),
      2: (older) => ({ ...older, by: '' }),
    },
  })
  const sealed = (value: unknown) => vault.seal(position, value)

  it.each([
    ['in the current version', { version: 3, lines: ['a', 'b'], by: 'me' }, { lines: ['a', 'b'], by: 'me' }],
    ['in the previous version', { version: 2, lines: ['a'] }, { lines: ['a'], by: '' }],
    ['in the first version, through all upgrades', { version: 1, text: 'a' }, { lines: ['a'], by: '' }],
  ])('%s', (_what, written, read) => expect(notes.open(vault, position, sealed(written))).toEqual(read))

  it.each([
    [
      'a document of a later version',
      { version: 4, lines: ['gross 8123'], by: 'me' },
      'this server knows it up to version 3; a later one has written it',
      true,
    ],
    ['a document with text as its version', { version: 'two', text: 'gross 8123' }, 'its version is no number', false],
    ['a document with null as its version', { version: 0, text: 'gross 8123' }, 'its version is no number', false],
    ['a document without a version', { text: 'gross 8123' }, 'its version is no number', false],
    ['a document that is no object', 'gross 8123', 'its version is no number', false],
    ['a document with a missing field', { version: 3, lines: ['gross 8123'] }, 'by is not what its schema says', false],
    [
      'a document with another value in a field',
      { version: 3, lines: ['gross 8123', 8123], by: 'me' },
      'lines.1 is not what its schema says',
      false,
    ],
    [
      'a document of an older version with an unknown shape',
      { version: 1, text: 8123 },
      'lines.0 is not what its schema says',
      false,
    ],
  ])('reports %s as an error that names the kind and no value', (_what, written, why, isNewerVersion) => {
    const read = () => notes.open(vault, position, sealed(written))
    expect(read).toThrow(DocumentFormatError)
    expect(read).toThrow(expect.objectContaining({ isNewerVersion, message: expect.stringContaining(why) }))
    expect(read).toThrow(/note of a test/)
    expect(read).not.toThrow(/8123/)
  })

  it('writes an encrypted document with its version and in no other shape', () => {
    const text = vault.openBytes(position, notes.seal(vault, position, { lines: ['a'], by: 'me' })).toString()
    expect(JSON.parse(text)).toEqual({ version: 3, lines: ['a'], by: 'me' })
    expect(() => notes.seal(vault, position, { lines: 'a' } as never)).toThrow(/note of a test.*lines/)
  })
  it('cannot decrypt an encrypted document at another position', () => {
    const bytes = notes.seal(vault, position, { lines: ['a'], by: 'me' })
    expect(() => notes.open(vault, { ...position, row: 'b' }, bytes)).toThrow()
  })
  it('requires an upgrade path from every older version and a unique kind', () => {
    expect(() => defineDocument({ kind: 'another', version: 2, schema: z.object({}) })).toThrow(/cannot read version 1/)
    expect(() => defineDocument({ kind: 'note of a test', version: 1, schema: z.object({}) })).toThrow(/two kinds/)
  })
})

describe('fast validation matches the schema', () => {
  const goodCell = fc.record(
    {
      value: fc.string(),
      kind: fc.constantFrom('money', 'text', 'empty'),
      fen: fc.integer(),
      flaw: fc.constantFrom('damaged', 'uncached'),
    },
    { requiredKeys: ['value', 'kind'] },
  )
  const anyCell = fc.record(
    {
      value: fc.oneof(fc.string(), fc.integer()),
      kind: fc.constantFrom('money', 'text', 'empty', 'nonsense', 1),
      fen: fc.oneof(fc.integer(), fc.constantFrom(1.5, '1', null)),
      flaw: fc.constantFrom('damaged', 'uncached', 'nonsense'),
    },
    { requiredKeys: [] },
  )
  const cell = fc.oneof({ weight: 6, arbitrary: goodCell }, { weight: 1, arbitrary: anyCell })
  const sum = fc.oneof({ weight: 6, arbitrary: fc.integer() }, { weight: 1, arbitrary: fc.constantFrom(null, '1', 0.5) })
  const contents = fc.record(
    {
      cells: fc.oneof(
        { weight: 6, arbitrary: fc.dictionary(fc.constantFrom('c1', 'c2'), cell) },
        { weight: 1, arbitrary: fc.constantFrom(null, [], 'x') },
      ),
      net_fen: sum,
      gross_fen: sum,
      tax_fen: sum,
    },
    { requiredKeys: [] },
  )
  const packed = fc.oneof(
    fc.integer(),
    fc.string(),
    fc.tuple(fc.string(), fc.integer({ min: -1, max: 7 })),
    fc.tuple(fc.oneof(fc.string(), fc.integer()), fc.constantFrom(0, 1, 0.5, '1', null), sum, fc.constantFrom(1, 2, 'x', null)),
    fc.tuple(fc.integer({ min: -1, max: 400 })),
    fc.constantFrom(null, 0.5, true, [], ['a'], [0.5], [1, 2], {}),
  )
  const kinds: [string, fc.Arbitrary<object>][] = [
    ['payslip content', contents],
    [
      'sheet row',
      fc.record(
        { cells: fc.oneof(fc.array(packed, { maxLength: 4 }), fc.constantFrom(null, 'x', {}, { c1: 'x' })) },
        { requiredKeys: [] },
      ),
    ],
    [
      'page of a sheet',
      fc.record(
        {
          rows: fc.oneof(
            fc.array(
              fc.oneof(
                { weight: 9, arbitrary: fc.tuple(fc.integer(), fc.array(packed, { maxLength: 2 })) },
                { weight: 1, arbitrary: fc.constantFrom(null, [], [1], ['1', []], [0.5, []], [1, [], 2], [1, {}]) },
              ),
              { maxLength: 3 },
            ),
            fc.constantFrom(null, 'x', {}),
          ),
        },
        { requiredKeys: [] },
      ),
    ],
  ]
  /** Occasionally another value instead. */
  const mostly = <T>(good: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 60, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(null, 1, 0.5, 'x', [], {}) })
  const word = mostly(fc.constantFrom('', '张三'))
  const getList = (one: fc.Arbitrary<unknown>) => mostly(fc.array(mostly(one), { maxLength: 2 }))
  const snapshot = fc.record({ id: word, departments: getList(word), mobile: word }, { requiredKeys: ['id', 'departments'] })
  const numbers = fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 2 }))
  const messageOf = (one: fc.Arbitrary<unknown>) => fc.oneof(fc.constant(null), getList(fc.oneof(one, fc.constant(null))))
  const imports: [string, fc.Arbitrary<object>][] = [
    [
      'read roster',
      fc.record({
        sheet: word,
        columns: getList(fc.record({ index: mostly(fc.nat()), letter: word, label: word, role: word })),
        people: mostly(
          fc.record({
            paths: getList(getList(word)),
            row: getList(fc.nat()),
            name: getList(word),
            departments: getList(numbers),
            mobile: messageOf(word),
            employee_no: messageOf(word),
            id_card: messageOf(word),
            bank_account: messageOf(word),
            position: messageOf(word),
            entry_on: messageOf(word),
            email: messageOf(word),
            status: messageOf(fc.constantFrom('active', 'left', null)),
            status_word: messageOf(word),
            form: messageOf(word),
            sheet: messageOf(word),
          }),
        ),
        bad: getList(fc.record({ row: mostly(fc.nat()), column: word, why: word })),
        entries_lost: mostly(fc.nat()),
        fingerprint: word,
        remembered: mostly(fc.boolean()),
      }),
    ],
    [
      'plan of an import',
      fc.record({
        row: getList(fc.nat()),
        decision: getList(
          fc.oneof(
            fc.constantFrom('new', 'skipped', 'same', ['a'], ['a', 'b'], [1]),
            fc.record({
              kind: mostly(fc.constantFrom('same', 'back', 'changed', 'leaves', 'new')),
              person_id: word,
              changes: getList(fc.record({ field: mostly(fc.constantFrom('mobile', 'departments')), old: word, new: word })),
            }),
            fc.record({
              kind: fc.constant('conflict'),
              why: word,
              field: mostly(fc.constantFrom('name', 'mobile', 'position')),
              person_ids: getList(word),
              rows: getList(fc.nat()),
              may: getList(fc.constantFrom('new', 'person', 'status')),
            }),
            fc.record({
              kind: fc.constant('fault'),
              why: word,
              column: fc.oneof(word, fc.constant(null)),
              field: mostly(fc.constantFrom(null, 'position', 'mobile')),
            }),
          ),
        ),
        departments: getList(getList(word)),
        phones: getList(fc.tuple(fc.nat(), mostly(fc.constantFrom('none', 'shared')))),
      }),
    ],
    [
      'undo of an import',
      fc.record({
        departments: getList(word),
        changed: getList(fc.record({ before: fc.oneof(fc.constant(null), snapshot), after: snapshot })),
        came: mostly(
          fc.record({
            id: getList(word),
            name: getList(word),
            row_mark: getList(word),
            position: getList(word),
            places: getList(numbers),
          }),
        ),
        leaders: getList(fc.record({ id: word, leader_id: word })),
      }),
    ],
  ]
  it.each([...kinds, ...imports])('%s', (name, values) => {
    const kind = documentTypes.get(name)
    let good = 0
    fc.assert(
      fc.property(values, (value) => {
        const byQuick = kind?.fastCheck?.({ ...value }) ?? false
        const bySchema = kind ? z.safeParse(kind.schema, value).success : false
        if (bySchema) good += 1
        return byQuick === bySchema
      }),
      { seed: 8785, numRuns: 3_000 },
    )
    expect(good).toBeGreaterThan(100)
  })
  it('restores a sealed row from a compact form', () => {
    const cells: RowCells = {
      c1: { value: '张三', kind: 'text' },
      c2: { value: '1234.5', kind: 'money', fen: 123_450 },
      c4: { value: '-0.05', kind: 'money', fen: -5 },
      c5: { value: '3', kind: 'number' },
      c9: { value: '=3', kind: 'text' },
      c6: { value: '1234567890123456', kind: 'number', flaw: 'damaged' },
      c7: { value: '', kind: 'error', flaw: 'uncached' },
      c305: { value: '2026-10-01', kind: 'date' },
      c1200: { value: '1,234.50', kind: 'money', fen: 123_450 },
    }
    const near = [null, '张三', 123_450, null, -5, '=3', null, null, null, ['=3', 2]]
    const far = [[6], ['1234567890123456', 1, null, 1], ['', 5, null, 2]]
    const farther = [[305], ['2026-10-01', 3], [1200], ['1,234.50', 0, 123_450]]
    const lies = [...near, ...far, ...farther]
    const sealed = sealCells(vault, 'r', cells)
    const row = { table: 'sheet_row', row: 'r', column: 'cells' }
    expect(JSON.parse(vault.openBytes(row, sealed).toString())).toEqual({ version: 1, cells: lies })
    expect(openCells(vault, 'r', sealed)).toEqual(cells)
    expect(Object.keys(openCells(vault, 'r', sealed))).toEqual(Object.keys(cells))
    const page = serializePage([{ row: 7, cells }])
    expect(JSON.parse(page.toString())).toEqual({ version: 1, rows: [[7, lies]] })
    expect(deserializePage(page)).toEqual([{ row: 7, cells }])
    expect(serializePackedPage(JSON.stringify([[7, lies]]))).toEqual({ written: page, numbers: [7] })
    const lying = (written: object) => vault.seal(row, Buffer.from(JSON.stringify(written)))
    for (const wrong of [
      { version: 1, cells: [['c1', 9]] },
      { version: 1, cells: { c1: '张三' } },
      { version: 2, cells: lies },
      { cells: lies },
      lies,
    ])
      expect(() => openCells(vault, 'r', lying(wrong))).toThrow(DocumentFormatError)
  })
  it.each(['{}', 'null', '[[7, null]]', '[[7, [0.5]]]', '[["7", []]]', '[[7, [], 8]]', '[[7, [[-1]]]]', '[],"more":[2]', '[[7'])(
    'does not read %s as an encrypted page',
    (packed) => expect(() => serializePackedPage(packed)).toThrow(DocumentFormatError),
  )
  it('decrypts a page only in its batch', () => {
    const sealed = sealPage(vault, 'batch', 'page', serializePage([{ row: 7, cells: { c0: { value: '张三', kind: 'text' } } }]))
    expect(openPage(vault, 'batch', 'page', sealed)).toEqual([[7, ['张三']]])
    expect(() => openPage(vault, 'another', 'page', sealed)).toThrow()
    expect(() => openPage(vault, 'batch', 'another', sealed)).toThrow()
  })
  it('restores a sealed roster that stores each department path once', () => {
    const row = {
      row: 2,
      name: '张三',
      mobile: '13800000000',
      employee_no: null,
      id_card: null,
      bank_account: null,
      departments: [['总部', '研发'], ['工会']],
      position: '工程师',
      entry_on: '2024-01-10',
      email: null,
      status: null,
    }
    const rows = [row, { ...row, row: 3, form: '李四', departments: [['总部', '研发']], status: 'left' as const }]
    const joined = rows.map((one, at) => ({ ...one, sheet: at === 0 ? '总部' : '分公司' }))
    const read = { sheet: '花名册', columns: [], rows, bad: [], entries_lost: 0, fingerprint: 'a', remembered: false }
    const sealed = sealReadRoster(vault, position, read)
    const { people } = JSON.parse(vault.openBytes(position, sealed).toString())
    expect(people).toMatchObject({
      paths: [['总部', '研发'], ['工会']],
      row: [2, 3],
      departments: [[0, 1], 0],
      mobile: ['13800000000', '13800000000'],
      employee_no: null,
      status: [null, 'left'],
      form: [null, '李四'],
      sheet: null,
    })
    expect(openReadRoster(vault, position, sealed)).toEqual(read)
    expect(openReadRoster(vault, position, sealReadRoster(vault, position, { ...read, rows: joined }))).toEqual({
      ...read,
      rows: joined,
    })
    const { rows: _, ...rest } = read
    for (const wrong of [
      { ...rest, version: 1, rows },
      { ...rest, version: 1, people: { ...people, name: [2] } },
    ])
      expect(() => openReadRoster(vault, position, vault.seal(position, wrong))).toThrow(DocumentFormatError)
  })
  it('restores a sealed plan that stores most rows as one word', () => {
    const changes = [{ field: 'mobile' as const, old: '1', new: '2' }]
    const rows = [
      { row: 2, decision: { kind: 'new' as const } },
      { row: 3, decision: { kind: 'same' as const, person_id: 'a', changes: [] } },
      { row: 4, decision: { kind: 'changed' as const, person_id: 'b', changes } },
      { row: 5, decision: { kind: 'fault' as const, why: '没有姓名', column: null, field: 'name' as const } },
      { row: 7, decision: { kind: 'skipped' as const } },
    ]
    const plan = { rows, departments: [['总部', '研发']] }
    const sealed = vault.seal(position, Buffer.from(serializePlan(plan)))
    expect(JSON.parse(serializePlan(plan))).toEqual({
      version: 1,
      phones: [],
      row: [2, 3, 4, 5, 7],
      decision: ['new', ['a'], rows[2]?.decision, rows[3]?.decision, 'skipped'],
      departments: plan.departments,
    })
    expect(openPlan(vault, position, sealed)).toEqual(plan)
    expect(() => openPlan(vault, position, vault.seal(position, { version: 1, ...plan }))).toThrow(DocumentFormatError)
  })
  it('restores a sealed undo that stores each department once', () => {
    const person = { id: 'a', departments: ['d1'], mobile: '1' }
    const changed = [
      { before: person, after: { ...person, mobile: '2' } },
      { before: null, after: person },
    ]
    const came = [
      { id: 'b', name: '张三', row_mark: 'x17', departments: ['d1'] },
      { id: 'c', name: '李四', row_mark: '8', departments: ['d1', 'd2'] },
      { id: 'd', name: '王五', row_mark: '9', departments: [] },
    ]
    const rest = { departments: ['d2'], leaders: [{ id: 'd1', leader_id: 'a' }] }
    const undo = { ...rest, members: [...changed, ...came.map((after) => ({ before: null, after }))] }
    const sealed = sealUndo(vault, position, undo)
    expect(JSON.parse(vault.openBytes(position, sealed).toString()).came).toEqual({
      id: ['b', 'c', 'd'],
      name: ['张三', '李四', '王五'],
      row_mark: ['x17', '8', '9'],
      position: ['d1', 'd2'],
      places: [0, [0, 1], []],
    })
    expect(openUndo(vault, position, sealed)).toEqual(undo)
    const alike = { ...undo, members: came.map((after) => ({ before: null, after: { ...after, row_mark: 'x7' } })) }
    expect(JSON.parse(vault.openBytes(position, sealUndo(vault, position, alike)).toString()).came.row_mark).toEqual(['x7'])
    expect(openUndo(vault, position, sealUndo(vault, position, alike))).toEqual(alike)
    expect(() => openUndo(vault, position, vault.seal(position, { ...rest, version: 1, people: changed }))).toThrow(
      DocumentFormatError,
    )
  })
  it('restores a payslip with its version', () => {
    const content = {
      cells: { c1: { value: '1', kind: 'money' as const, fen: 100 } },
      net_fen: 100,
      gross_fen: null,
      tax_fen: null,
    }
    expect(JSON.parse(payslipContentDocument.write(content))).toEqual({ version: 1, ...content })
    expect(payslipContentDocument.read(payslipContentDocument.write(content))).toEqual(content)
  })
})
