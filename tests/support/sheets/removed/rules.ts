/**
 * The rules by which a sheet is understood, and for each how it is taken out: a text of its file and what stands in its place. Nothing in the
 * product knows of it; a text that is no longer there, or stands twice, fails the trial `rules-removed`, and is mended here.
 */
export type Removed = {
  /** What is taken out. */
  readonly rule: string
  /** Below `server/`. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** Names of the tables of layouts that hold it. */
  readonly cases: readonly string[]
}

const [header, who, rows, meaning, slips, tables] = ['header', 'who', 'rows', 'meaning', 'slips', 'tables'].map(
  (name) => `tables/recognise/${name}.ts`,
) as [string, string, string, string, string, string]
const wage = (name: string) => `tables/profiles/wage/${name}.ts`

export const removed: readonly Removed[] = [
  // 1. No row with an amount disappears.
  {
    rule: 'a row with an amount and no name is kept and asked about',
    file: rows,
    from: '(paid ? { why, paid } : { why })',
    to: '({ why })',
    cases: ['rules-nothing-lost'],
  },
  // 2. Who.
  {
    rule: 'the name column is found by its values',
    file: who,
    from: 'const found = nameByValues(grid, header, rows, new Set(known))',
    to: 'const found = [nameByValues(grid, header, rows, new Set(known))].slice(0, 0)[0]',
    cases: ['rules-who'],
  },
  {
    rule: 'rows with amounts and nobody recognised: it is asked which column says who',
    file: wage('questions-column'),
    from: 'if (rows.length === 0 || chosen.some((one) => one.rows.people.length > 0)) return []',
    to: 'if (rows.length >= 0) return []',
    cases: ['rules-who-asked'],
  },
  // 3. Labels.
  {
    rule: 'a remark behind a label is no part of it',
    file: meaning,
    from: 'for (const remark of remarks) {',
    to: 'for (const remark of remarks.slice(0, 0)) {',
    cases: ['rules-labels'],
  },
  {
    rule: 'blanks part no Chinese words',
    file: 'tables/recognise/synonyms.ts',
    from: `return plain.replace(/(?<=[⺀-鿿豈-﫿가-힯぀-ヿ])\\s|\\s(?=[⺀-鿿豈-﫿가-힯぀-ヿ])/g, '')`,
    to: 'return plain',
    cases: ['rules-known'],
  },
  // 4. Net.
  {
    rule: 'where no column says 实发 it is asked',
    file: wage('questions-column'),
    from: "if (columns.some(({ role }) => role === 'net')) return []",
    to: 'if (columns.length > 0) return []',
    cases: ['rules-net'],
  },
  // 5. The header.
  {
    rule: 'a title is no row of groups over the header',
    file: header,
    from: 'isMeta(cell.text) || title.test(cell.text) || cell.text.length > 40',
    to: 'isMeta(cell.text) || cell.text.length > 40',
    cases: ['rules-titles'],
  },
  {
    rule: 'where the best header names no person, its neighbours are tried',
    file: header,
    from: 'for (const { row } of others.slice(0, mostRows)) {',
    to: 'for (const { row } of others.slice(0, 0)) {',
    cases: ['rules-neighbours'],
  },
  {
    rule: 'a header that names nobody is only the last choice',
    file: header,
    from: 'if (best.score >= enough && namesPeople(header)) return header',
    to: 'if (best.score >= enough) return header',
    cases: ['rules-neighbours'],
  },
  {
    rule: 'days for labels are attendance',
    file: meaning,
    from: 'if (dayLabel.test(leaf) && (parts',
    to: 'if (false && dayLabel.test(leaf) && (parts',
    cases: ['rules-days'],
  },
  {
    rule: 'the days of a month count for a header, not against it',
    file: header,
    from: 'score -= counts ? 0.05 : 0.7',
    to: 'score -= 0.7',
    cases: ['rules-days'],
  },
  {
    rule: 'what stands beside the table behind blank columns is another table',
    file: tables,
    from: 'return same.length > 1 ? same : apart(grid, header, area)',
    to: 'return same',
    cases: ['rules-beside'],
  },
  {
    rule: 'label, value, label, value is a form and no header',
    file: header,
    from: 'if (isNamePair(grid, row, column) && (words.hasForms',
    to: 'if (false && isNamePair(grid, row, column) && (words.hasForms',
    cases: ['rules-form-alone'],
  },
  {
    rule: 'forms and tables on their side are turned',
    file: slips,
    from: 'return onItsSide(grid, name) ?? slips(grid, name)',
    to: 'return null',
    cases: ['rules-form', 'rules-forms'],
  },
  {
    rule: 'a line an item is turned into a row a person',
    file: wage('reading'),
    from: 'const turned = turn(sheet) ?? turnLong(sheet)',
    to: 'const turned = turn(sheet)',
    cases: ['rules-long'],
  },
  // 6. Whether it is a wage sheet.
  {
    rule: 'without a word of pay it is asked',
    file: wage('questions-column'),
    from: 'if (!first || isAboutPay(first)) return []',
    to: 'if (first !== null) return []',
    cases: ['rules-pay'],
  },
  {
    rule: 'titles and names of sheets speak of pay too',
    file: wage('questions-column'),
    from: 'speaksOfPay(reading.header, ...titlesOf(reading))',
    to: 'speaksOfPay(reading.header)',
    cases: ['rules-pay-said'],
  },
  {
    rule: 'labels speak of pay',
    file: 'tables/recognise/synonyms.ts',
    from: "[...paths.map((path) => path.join(' ')), ...others]",
    to: '[...others]',
    cases: ['rules-pay-said', 'rules-pay-wages'],
  },
  // Months and tables of one sheet.
  {
    rule: 'months of the same people are a table each',
    file: wage('reading'),
    from: 'return monthsOf(reading)?.map(',
    to: 'return [monthsOf(reading)].slice(0, 0)[0]?.map(',
    cases: ['rules-months-titled', 'rules-months-column'],
  },
  {
    rule: 'of several months the last is read',
    file: wage('understand'),
    from: 'return months.get(inOrder([...months.keys()]).at(-1) ?? month) ?? first',
    to: 'return first',
    cases: ['rules-months-titled', 'rules-months-column'],
  },
  {
    rule: 'a column names the month of a row',
    file: 'tables/recognise/says.ts',
    from: "const own = (isBody ? inColumn(row) : '') ||",
    to: "const own = (isBody && false ? inColumn(row) : '') ||",
    cases: ['rules-months-column'],
  },
  {
    rule: 'another header below is another table',
    file: tables,
    from: 'return [...above, header.top, ...under]',
    to: 'return [header.top]',
    cases: ['rules-joined'],
  },
  {
    rule: 'tables with a name and what is paid are read together',
    file: wage('pool'),
    from: "return arePaid && !isMixed && both('net') && both('name')",
    to: 'return false',
    cases: ['rules-joined'],
  },
  // 8. What the roster knows.
  {
    rule: 'what a sheet says beside the key is held against the roster',
    file: 'domain/sheet/rules/check/beside-roster.ts',
    from: '*problems(): InTurns<Found[]> {',
    to: '*problems(): InTurns<Found[]> { return []',
    cases: ['rules-beside-roster'],
  },
  // 9. Totals.
  {
    rule: 'the totals of a sheet are added up again',
    file: 'domain/sheet/rules/stated.ts',
    from: 'totals: [...rows].flatMap(statedAt),',
    to: 'totals: [],',
    cases: ['totals-feet', 'totals-heads', 'totals-pages', 'totals-end', 'totals-sheets'],
  },
  {
    rule: 'a row that calls itself a total is nobody',
    file: rows,
    from: 'if (totalWord && !(who.names.length > 0',
    to: 'if (totalWord && false && !(who.names.length > 0',
    cases: ['totals-feet', 'totals-heads', 'totals-pages', 'totals-end'],
  },
  {
    rule: 'a total may stand for a department, wherever its people are',
    file: 'domain/sheet/rules/stated.ts',
    from: "if (known || name === '' ||",
    to: "if (known || name !== '' ||",
    cases: ['totals-end'],
  },
  {
    rule: 'a total may begin at any earlier place',
    file: 'domain/sheet/rules/stated.ts',
    from: 'department !== before.department) this.#mark()',
    to: 'department !== before.department) void before',
    cases: ['totals-gaps'],
  },
  {
    rule: 'the header again is nobody',
    file: rows,
    from: 'if (isRepeatedHeader(grid, labels, row, filled) &&',
    to: 'if (false && isRepeatedHeader(grid, labels, row, filled) &&',
    cases: ['rules-header-again'],
  },
]
