/**
 * `npm run restore -- FILE`: restores a backup into an empty database or data directory.
 * `npm run restore -- --confirm`: ends the pause of sending that follows a restore.
 */
import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { readBackupFile } from '../backup/backup-file.ts'
import { confirmRestore, restoreDatabase } from '../backup/restore.ts'
import { deriveAppPasswords } from '../database/postgres/app-role.ts'
import { openInstallation, runCommand } from './owner-connection.ts'

const usage =
  '用法：npm run --silent restore -- 备份文件     恢复到空的数据库或数据目录\n' +
  '      npm run --silent restore -- --confirm   确认旧的服务已经停止，继续发送\n'

const printLine = (text: string): void => void process.stdout.write(`${text}\n`)

async function restoreBackup(file: string): Promise<void> {
  const { config, masters, owner, close } = await openInstallation({ exclusive: true })
  let printedAt = 0
  try {
    const summary = await restoreDatabase(readBackupFile(masters, createReadStream(file)), {
      owner,
      ...(config.database_app_url ? { app: { connectionString: config.database_app_url } } : {}),
      app_password: deriveAppPasswords(masters),
      now: new Date(),
      onProgress({ rows }) {
        if (!process.stderr.isTTY || Date.now() - printedAt < 500) return
        printedAt = Date.now()
        process.stderr.write(`\r${rows.toLocaleString('zh-CN')} 行`)
      },
    })
    printLine(`已恢复 ${summary.companies} 家企业、${summary.rows.payslip ?? 0} 张工资条。所有人需要重新登录。`)
    printLine(
      '发送和其他后台任务已暂停：请确认旧的服务已经停止，再运行 npm run restore -- --confirm，或在 /ops 的「运行状态」里继续。',
    )
    printLine('备份之后可能已经发出的消息不会自动重发；渠道查不到结果的，会标为「未知」，由管理员决定。')
  } finally {
    await close()
  }
}

async function confirmPause(): Promise<void> {
  const { owner, close } = await openInstallation({ exclusive: false })
  try {
    printLine((await confirmRestore(owner)) ? '已确认：正在运行的服务会在几秒内继续发送。' : '发送没有暂停，不需要确认。')
  } finally {
    await close()
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { confirm: { type: 'boolean' } } })
const [file] = positionals
if (values.confirm && !file) await runCommand(confirmPause)
else if (file && positionals.length === 1 && !values.confirm) await runCommand(() => restoreBackup(file))
else {
  process.stderr.write(usage)
  process.exitCode = 2
}
