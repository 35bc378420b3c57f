/** A company with a payroll administrator and members whom they may pay, and plain wage sheets of them. */
import { sql } from 'kysely'
import type { WageSheetInfo } from '../../server/contract/sheets/sheet.ts'
import * as wage from '../../server/contract/sheets/sheet.ts'
import { makeXlsx, type XlsxCell, type XlsxSheet } from './files/xlsx.ts'
import type { Caller, Corp, Person, World } from './world.ts'

export type Office = { corp: Corp; boss: Person; clerk: Caller; staff: Person[] }

export async function openOffice(world: World, names: readonly string[]): Promise<Office> {
  const corp = await world.createCompany()
  const boss = await corp.person({ name: '薪资员', power: ['2'] })
  const staff: Person[] = []
  for (const name of names) staff.push(await corp.person({ name }))
  return { corp, boss, clerk: await world.signIn(boss), staff }
}

/** Returns a workbook with the header in the first row, then the rows. */
export const book = (head: readonly string[], rows: readonly XlsxCell[][], more: Partial<XlsxSheet> = {}): Buffer =>
  makeXlsx({ sheets: [{ name: '工资', rows: [[...head], ...rows], ...more }] })

type Options = { sheet?: string; batch_id?: string; title_id?: string; compare_only?: '1'; upload_id?: string }
export const getUpload = (clerk: Caller, bytes: Buffer, input: Options = {}, name = '工资表.xlsx') =>
  clerk.must(wage.uploadWageExcel, input, { file: { name, bytes } })

export const getColumn = (info: Pick<WageSheetInfo, 'columns'>, label: string): string =>
  info.columns.find((column) => column.label === label)?.key ?? `no ${label}`
export const getRoles = (info: Pick<WageSheetInfo, 'columns'>): Record<string, string> =>
  Object.fromEntries(info.columns.map(({ label, role }) => [label, role]))
/** Returns the open questions. */
export const request = (info: Pick<WageSheetInfo, 'questions'>): [string, string | null][] =>
  info.questions.filter(({ answer }) => answer === null).map(({ kind, key }) => [kind, key])

/**
 * Holds every upload of this payroll administrator at its last step until the returned function is called. Call it
 * soon: waiting for a lock fails after four seconds.
 */
export async function withheld(world: World, { corp, boss }: Office): Promise<() => Promise<void>> {
  const lock = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const done = world.database.inCompany(corp.company_id, async (tx) => {
    await sql`select id from admin where company_id = ${corp.company_id} and member_id = ${boss.member_id} for update`.execute(tx)
    locked.resolve()
    await lock.promise
  })
  await locked.promise
  return async () => {
    lock.resolve()
    await done
  }
}
