/**
 * Opens one sealed value of each kind before the server listens. A program that is older than the data, or a key that
 * does not belong to it, is found at the start and not by the first employee.
 */
import { DocumentFormatError } from './crypto/sealed-document.ts'
import type { Secrets } from './crypto/secrets.ts'
import type { CompanyVaultTx } from './database/company-tx.ts'
import type { Database } from './database/database.ts'
import { listAllCompanyIds } from './jobs/companies.ts'
import { openNewestPayslip } from './modules/payslip-records/index.ts'
import { openNewestRecognition, openNewestTemplate, openNewestTitle } from './modules/sheets/index.ts'
import { version } from './shared/version.ts'

/** What is opened: the newest of each, because an older program is the one that cannot read the newest. */
const kinds: readonly (readonly [name: string, open: (ctx: CompanyVaultTx) => Promise<void>])[] = [
  ['payslip', openNewestPayslip],
  ['title', openNewestTitle],
  ['wage sheet', openNewestRecognition],
  ['template', openNewestTemplate],
]
/** Limits the time of a start; row-level security lets only one company be read at a time. */
const maxCompanies = 100

/** Throws one sentence that says what to do. */
export async function checkSealedValues({ database, secrets }: { database: Database; secrets: Secrets }): Promise<void> {
  const newestCompanies = (await listAllCompanyIds(database)).toReversed().slice(0, maxCompanies)
  for (const company_id of newestCompanies)
    await database.inCompany(company_id, async (db) => {
      // A company whose key was destroyed has no readable pay data, on purpose.
      if (!(await secrets.hasCompanyKey(db, company_id))) return
      const vault = await secrets.vault(db, company_id).catch(() => {
        throw new Error(unreadable('key', company_id))
      })
      for (const [name, open] of kinds)
        await open({ db, company_id, vault }).catch((error: unknown) => {
          if (!(error instanceof DocumentFormatError) || !error.isNewerVersion) throw new Error(unreadable(name, company_id))
          throw new Error(
            `this is version ${version}, and a later version of the program has written the data (${error.message}). ` +
              'Start that version again; to go back, restore the backup from before the upgrade (docs/operations/upgrade.md)',
          )
        })
    })
}

const unreadable = (name: string, company_id: string): string =>
  `the newest ${name} of company ${company_id} cannot be opened: it is damaged or belongs to another key. Nothing was ` +
  'changed. Check that DATABASE_URL and XINHAN_MASTER_KEY belong together, or restore a backup (docs/operations/backup.md)'
