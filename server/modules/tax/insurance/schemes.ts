/** Storage of the company's insurance schemes, and their form for computation. Reads and marks insurance_scheme. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { insuranceRoundings, type SchemeItemView } from '../../../contract/tax/insurance.ts'
import { insuranceCodes, isHousingFund } from '../../../contract/tax/kinds.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { InsuranceScheme, InsuranceSchemeItem } from '../../../rules/law/insurance/scheme.ts'

const ppm = z.nullable(z.int())
/** Figures as stored, which are public, in fen and parts per million. */
const storedItemsSchema = z.array(
  z.object({
    code: z.enum(insuranceCodes),
    floor_fen: z.int(),
    ceiling_fen: z.nullable(z.int()),
    employee_ppm: ppm,
    employer_ppm: ppm,
    from_ppm: ppm,
    to_ppm: ppm,
    employee_fixed_fen: z.int(),
    employer_fixed_fen: z.int(),
    unit_fen: z.int(),
    mode: z.enum(insuranceRoundings),
    check: z.nullable(z.string()),
  }),
)
export const parseSchemeItems = (value: unknown): SchemeItemView[] => z.parse(storedItemsSchema, value)

export type SchemeRow = {
  readonly id: string
  readonly city: string
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  readonly items: unknown
}
const toLawSchemeItem = (item: SchemeItemView): InsuranceSchemeItem => {
  const isBand = item.from_ppm !== null && item.to_ppm !== null
  return {
    code: item.code,
    base_key: isHousingFund(item.code) ? 'housing_fund' : 'social',
    floor: item.floor_fen,
    ceiling: item.ceiling_fen,
    unit_fen: item.unit_fen,
    mode: item.mode,
    employee_fixed: item.employee_fixed_fen,
    employer_fixed: item.employer_fixed_fen,
    check: item.check,
    rates: isBand
      ? { from_ppm: item.from_ppm ?? 0, to_ppm: item.to_ppm ?? 0 }
      : { employee_ppm: item.employee_ppm ?? 0, employer_ppm: item.employer_ppm ?? 0 },
  }
}
export const toLawScheme = (row: Omit<SchemeRow, 'id'>): InsuranceScheme => ({
  city: row.city,
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  document: row.document,
  written_from: row.valid_from,
  items: parseSchemeItems(row.items).map(toLawSchemeItem),
})
/** Converts a published scheme to a starting point for editing. */
export const toSchemeItemView = (item: InsuranceSchemeItem): SchemeItemView => ({
  code: item.code,
  floor_fen: item.floor,
  ceiling_fen: item.ceiling,
  employee_ppm: null,
  employer_ppm: null,
  from_ppm: null,
  to_ppm: null,
  ...item.rates,
  employee_fixed_fen: item.employee_fixed,
  employer_fixed_fen: item.employer_fixed,
  unit_fen: item.unit_fen,
  mode: item.mode,
  check: item.check,
})

/** The current schemes by city, for any month; no two of a city apply to the same month. */
export type SchemesByCity = ReadonlyMap<string, readonly (InsuranceScheme & { readonly id: string })[]>
export async function loadCurrentSchemes({ db, company_id }: CompanyTx): Promise<SchemesByCity> {
  const rows = await db
    .selectFrom('insurance_scheme')
    .select(['id', 'city', 'valid_from', 'valid_to', 'document', 'items'])
    .where('company_id', '=', company_id)
    .where('replaced_by', 'is', null)
    .orderBy('valid_from')
    .execute()
  return Map.groupBy(
    rows.map((row) => ({ ...toLawScheme(row), id: row.id })),
    ({ city }) => city,
  )
}

/** Marks the schemes as used: a period computed with them is locked. */
export async function markSchemesUsed(
  { db, company_id }: CompanyTx,
  month: string,
  scheme_ids: readonly string[],
): Promise<void> {
  await db
    .updateTable('insurance_scheme')
    .set({ used_through: sql<string>`greatest(coalesce(used_through, ${month}), ${month})` })
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...scheme_ids]}::uuid[])`)
    .execute()
}
