/** Provides members' tax years to the check of wage sheets: closed months, deductions, yearly data. Sheets do not know tax. */
import { sql } from 'kysely'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { TaxYearToDate } from '../../../rules/law/wages/tax-year-to-date.ts'
import { getEmployments } from '../../directory/index.ts'
import { getBatchTitles } from '../../sheets/index.ts'
import { type TaxYearProvider } from '../../sheets/ready/index.ts'
import { loadMonthDeductions } from '../deduction/reader.ts'
import { loadMonthInsurance } from '../insurance/reader.ts'
import { defaultTaxYearProfile } from '../rules/amounts.ts'
import { deriveTaxYearToDate, type TaxYearContext } from '../rules/tax-year-to-date.ts'
import { loadYearProfiles } from './compute.ts'
import { decryptTaxResult, openIncome } from './documents.ts'
import { parseSources } from './periods.ts'

const addMonths = (month: string, count: number): string => {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** Finds the month in which a batch is paid: the period that imported it; else as for the latest imported one; else unknown. */
async function findPaymentMonths(
  { db, company_id, vault }: CompanyVaultTx,
  batch: { readonly id: string; readonly month: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('tax_period')
    .select(['month', 'sources'])
    .where('company_id', '=', company_id)
    .where('month', '<=', addMonths(batch.month, 1))
    .orderBy('month', 'desc')
    .limit(12)
    .execute()
  const importedSources = rows.flatMap(({ month, sources }) =>
    parseSources(sources).map(({ batch_id, way: incomeKind }) => ({ month, batch_id, channel: incomeKind })),
  )
  const source = importedSources.find(({ batch_id }) => batch_id === batch.id)
  if (source) return [source.month]
  const titles = await getBatchTitles(
    { db, company_id, vault },
    importedSources.map(({ batch_id }) => batch_id),
  )
  for (const { month, batch_id, channel: incomeKind } of importedSources) {
    const title = titles.get(batch_id)?.month
    if (incomeKind !== 'wages' || !title) continue
    for (const offset of [0, 1]) if (addMonths(title, offset) === month) return [addMonths(batch.month, offset)]
  }
  return [batch.month, addMonths(batch.month, 1)]
}

/** Lists the closed months of the year before a given month. */
async function listLockedMonths({ db, company_id }: CompanyVaultTx, month: string): Promise<number[]> {
  const rows = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('status', '=', 'locked')
    .where('month', '<', month)
    .where('month', '>=', `${month.slice(0, 4)}-01`)
    .execute()
  return rows.map((one) => Number(one.month.slice(5)))
}

/** Loads each member's last closed month of the year before a given month. */
async function loadLastLockedMonth({ db, company_id, vault }: CompanyVaultTx, memberIds: readonly string[], month: string) {
  const rows = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .distinctOn('tax_income.member_id')
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.result', 'tax_period.month'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_period.status', '=', 'locked')
    .where('tax_period.month', '<', month)
    .where('tax_period.month', '>=', `${month.slice(0, 4)}-01`)
    .where(sql<boolean>`tax_income.member_id = any(${[...memberIds]}::uuid[])`)
    .orderBy('tax_income.member_id')
    .orderBy('tax_period.month', 'desc')
    .execute()
  return new Map(
    rows.map((row) => [row.member_id, { month: Number(row.month.slice(5)), result: decryptTaxResult(vault, row) }] as const),
  )
}

/** Loads deductions entered in the month itself: a sum of 专项附加扣除 from the official client takes precedence over ours. */
async function loadEnteredDeductions({ db, company_id, vault }: CompanyVaultTx, memberIds: readonly string[], month: string) {
  const rows = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.income'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_period.month', '=', month)
    .where(sql<boolean>`tax_income.member_id = any(${[...memberIds]}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.member_id, openIncome(vault, row).additional_cumulative_fen]))
}

/** A company without tax data needs no further queries. */
async function hasTaxData({ db, company_id }: CompanyVaultTx): Promise<boolean> {
  const { rows } = await sql<{ keeps: boolean }>`
    select exists (select from tax_period where company_id = ${company_id})
      or exists (select from member_deduction where company_id = ${company_id})
      or exists (select from tax_year where company_id = ${company_id}) as keeps`.execute(db)
  return rows[0]?.keeps ?? false
}

async function loadTaxYears(
  companyTx: CompanyVaultTx,
  month: string,
  { memberIds, insured }: Parameters<TaxYearProvider['getTaxYears']>[2],
) {
  const employed = await getEmployments(companyTx, memberIds)
  const spans = memberIds.map((member_id) => ({
    member_id,
    hire_month: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    leave_month: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const [closed, last] = [await listLockedMonths(companyTx, month), await loadLastLockedMonth(companyTx, memberIds, month)]
  const yearProfiles = await loadYearProfiles(companyTx, memberIds, Number(month.slice(0, 4)))
  const entered = await loadEnteredDeductions(companyTx, memberIds, month)
  const deductions = await loadMonthDeductions(companyTx, month, spans)
  const insurance = insured ? await loadMonthInsurance(companyTx, month, memberIds) : new Map<string, never>()
  return new Map(
    spans.flatMap(({ member_id, hire_month, leave_month }): (readonly [string, TaxYearToDate])[] => {
      const context: TaxYearContext = {
        month,
        hire_month,
        leave_month,
        locked_months: closed,
        last_locked: last.get(member_id) ?? null,
        profile: yearProfiles.get(member_id) ?? defaultTaxYearProfile,
        entered: entered.get(member_id) ?? null,
        deductions: deductions.get(member_id) ?? null,
        insurance: insurance.get(member_id) ?? null,
      }
      const taxYear = deriveTaxYearToDate(context)
      return taxYear ? [[member_id, taxYear]] : []
    }),
  )
}

export const taxYearProvider: TaxYearProvider = {
  async digest({ db, company_id }) {
    const of = async (
      table: 'tax_period' | 'tax_year' | 'member_deduction' | 'member_insurance' | 'insurance_scheme',
      what: string,
    ) =>
      (
        await sql<{ digest: string | null }>`
          select md5(string_agg(${sql.raw(what)}, ',' order by ${sql.raw(what)})) as digest from ${sql.table(table)}
          where company_id = ${company_id}`.execute(db)
      ).rows[0]?.digest
    const rows = await sql<{ digest: string | null }>`
      select md5(string_agg(tax_income.id::text, ',' order by tax_income.id)) as digest from tax_income
      join tax_period on tax_period.company_id = tax_income.company_id and tax_period.id = tax_income.period_id
      where tax_income.company_id = ${company_id} and tax_period.status <> 'locked'`.execute(db)
    return JSON.stringify([
      await of('tax_period', `month || status || locks || md5(sources::text)`),
      await of('tax_year', 'id::text'),
      await of('member_deduction', `member_id::text || version`),
      await of('member_insurance', `member_id::text || version`),
      await of('insurance_scheme', `id::text || version || coalesce(valid_to, '')`),
      rows.rows[0]?.digest,
    ])
  },
  /** If one of the months is uncertain, the whole result is. */
  async getTaxYears(context, run, requested) {
    if (!(await hasTaxData(context))) return new Map()
    const months = await findPaymentMonths(context, run)
    const matches: Awaited<ReturnType<typeof loadTaxYears>>[] = []
    for (const month of months) matches.push(await loadTaxYears(context, month, requested))
    return new Map(
      requested.memberIds.flatMap((member_id) => {
        const own = matches.flatMap((one) => one.get(member_id) ?? [])
        return own.length === months.length ? [[member_id, own] as const] : []
      }),
    )
  },
}
