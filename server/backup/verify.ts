/**
 * Verifies a backup without a database: all frames authenticate, every table has as many rows as stated, every company's
 * key unwraps with the master key, and one payslip of each company that has one is decrypted.
 */
import { type MasterKeys, openCompanyKey } from '../crypto/master-key.ts'
import { Vault } from '../crypto/secrets.ts'
import { openPayslipContent } from '../modules/payslip-records/index.ts'
import { BackupFileError } from './backup-file.ts'
import { type BackupManifest, type BackupSummary, parseCopyRow, readBackupText } from './backup-text.ts'

export type VerifiedBackup = {
  readonly manifest: BackupManifest
  readonly summary: BackupSummary
  /** Companies whose key was unwrapped, and payslips that were decrypted. */
  readonly openedKeys: number
  readonly openedPayslips: number
}

const toBytes = (hex: string | null | undefined): Buffer => Buffer.from(hex?.replace(/^\\x/, '') ?? '', 'hex')

export async function verifyBackup(chunks: AsyncIterable<Buffer>, masters: MasterKeys): Promise<VerifiedBackup> {
  const keys = new Map<string, Map<number, Buffer>>()
  const opened = new Set<string>()
  const destroyed = new Set<string>()
  const checked: Readonly<Record<string, (company_id: string, row: Readonly<Record<string, string | null>>) => void>> = {
    company_key(company_id, row) {
      const key = openCompanyKey(masters, { company_id, id: Number(row.id), wrapped: toBytes(row.wrapped) })
      keys.set(company_id, (keys.get(company_id) ?? new Map<number, Buffer>()).set(Number(row.id), key))
    },
    company(company_id, row) {
      if (row.key_destroyed_at) destroyed.add(company_id)
    },
    payslip(company_id, row) {
      if (destroyed.has(company_id)) return
      const companyKeys = keys.get(company_id)
      if (!companyKeys) throw new BackupFileError('备份里缺少一家企业的密钥，它的工资数据无法读取')
      if (opened.has(company_id) || !row.id) return
      openPayslipContent(new Vault(company_id, companyKeys), {
        id: row.id,
        version: Number(row.version),
        cells: toBytes(row.cells),
      })
      opened.add(company_id)
    },
  }
  const { manifest, summary } = await readBackupText(chunks, {
    async onManifest() {
      // Nothing to check before the rows.
    },
    async onSection({ table, columns, company_id }) {
      const check = company_id === null ? undefined : checked[table]
      return {
        onRow(line) {
          // Of the many payslips of a company only the first is decoded.
          if (!check || !company_id || (table === 'payslip' && opened.has(company_id))) return
          const values = parseCopyRow(line)
          check(company_id, Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null])))
        },
        async onEnd() {
          // Rows are checked one by one.
        },
      }
    },
  })
  const readable = summary.companies - destroyed.size
  if (keys.size !== readable) throw new BackupFileError(`备份里有 ${readable} 家企业的数据，却只有 ${keys.size} 家的密钥`)
  return { manifest, summary, openedKeys: keys.size, openedPayslips: opened.size }
}
