/**
 * `npm run backup -- FILE`: writes an encrypted backup of the whole installation, also while the server is running.
 * `npm run backup -- --verify FILE`: verifies a backup without a database.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { readBackupFile, writeBackupFile } from '../backup/backup-file.ts'
import { dumpDatabase } from '../backup/dump.ts'
import { verifyBackup } from '../backup/verify.ts'
import { readConfig } from '../config.ts'
import { version } from '../shared/version.ts'
import { openInstallation, readMasterKeys, runCommand } from './owner-connection.ts'

const usage =
  '用法：npm run --silent backup -- 备份文件            写备份（服务运行时也可以）\n      npm run --silent backup -- --verify 备份文件   校验备份\n'

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)
const formatCount = (count: number): string => count.toLocaleString('zh-CN')

async function writeBackup(file: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} 已经存在：请换一个文件名，已有的备份不会被覆盖`)
  const { masters, owner, close } = await openInstallation({ exclusive: false })
  const client = new Client({ application_name: 'xinhan backup', ...owner })
  // Under its final name a file is always complete.
  const partial = `${file}.part`
  try {
    await client.connect()
    const { input, done } = writeBackupFile(masters[0], createWriteStream(partial, { mode: 0o600 }))
    let printedAt = 0
    const summary = await Promise.race([
      dumpDatabase(client, input, {
        program: version,
        now: new Date(),
        onProgress({ companies, companyCount, rows }) {
          if (!process.stderr.isTTY || Date.now() - printedAt < 500) return
          printedAt = Date.now()
          process.stderr.write(`\r企业 ${companies}/${companyCount}，${formatCount(rows)} 行`)
        },
      }),
      // A full disk ends the file before the database has been read.
      done.then(() => Promise.reject(new Error('备份文件提前结束'))),
    ])
    input.end()
    await done
    await rename(partial, file)
    const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
    const { size } = await stat(file)
    printLine(
      `已备份 ${formatCount(summary.companies)} 家企业、${formatCount(rows)} 行，${(size / 1_048_576).toFixed(1)} MB：${file}`,
    )
    printLine('备份用主密钥加密。请把主密钥另外保存：没有它，谁也打不开这个备份。')
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await client.end().catch(() => undefined)
    await close()
  }
}

async function printVerification(file: string): Promise<void> {
  const masters = readMasterKeys(readConfig())
  const { manifest, summary, openedKeys, openedPayslips } = await verifyBackup(
    readBackupFile(masters, createReadStream(file)),
    masters,
  )
  const rows = Object.values(summary.rows).reduce((sum, count) => sum + count, 0)
  printLine(
    `备份完整：${manifest.created_at}，版本 ${manifest.program}，${formatCount(summary.companies)} 家企业、${formatCount(rows)} 行`,
  )
  printLine(
    `已打开 ${openedKeys} 家企业的密钥和 ${openedPayslips} 张工资条，${formatCount(summary.rows.payslip ?? 0)} 张工资条都在`,
  )
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { verify: { type: 'boolean' } } })
const [file] = positionals
if (!file || positionals.length > 1) {
  process.stderr.write(usage)
  process.exitCode = 2
} else await runCommand(() => (values.verify ? printVerification(file) : writeBackup(file)))
