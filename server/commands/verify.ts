/**
 * `npm run --silent verify -- FILE [FILE …] [--key THUMBPRINT] [--tsa FINGERPRINT]`: checks whether receipts and
 * evidence packages are genuine and unchanged. Needs no database, no server and no network: it consists of this file
 * and `modules/payslip-records/verifier`, and imports only Node modules.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type GenuineFile, verifyFile } from '../modules/payslip-records/verifier/file.ts'

const usage = '用法：npm run --silent verify -- 回执或证据文件 [另一个文件 …] [--key 公司公布的钥匙指纹] [--tsa 时间戳证书指纹]\n'

const formatDetails = ({ lines, kid, key_count }: GenuineFile, isTrusted: boolean): string[] => [
  ...lines,
  `签名钥匙指纹：${kid}${key_count > 1 ? `（这家公司先后用过 ${key_count} 把，每一把都由上一把认可）` : ''}`,
  isTrusted ? '指纹与您提供的一致。' : '请与这家公司公布的指纹核对：指纹一致，才能说明是这家公司签发的。',
]

type TrustedFingerprints = { readonly key?: string | undefined; readonly tsa?: string | undefined }
async function verifyReceiptFile(
  path: string,
  { key, tsa }: TrustedFingerprints,
): Promise<{ genuine: boolean; lines: string[] }> {
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return { genuine: false, lines: ['找不到或读不了这个文件'] }
  const checked = verifyFile(bytes)
  if (!checked.genuine) return { genuine: false, lines: [checked.message] }
  if (key !== undefined && !checked.kids.includes(key))
    return {
      genuine: false,
      lines: [
        '签名有效，但不是用您提供的这把钥匙签的，也没有得到它的认可：不是这家公司签发的、指纹有误，或指纹是后来才启用的钥匙的（请用这家公司公布的更早的指纹核对）',
      ],
    }
  if (tsa !== undefined && checked.authority !== tsa.replaceAll(':', '').toLowerCase())
    return { genuine: false, lines: ['没有时间戳，或不是您提供的这家机构签发的'] }
  return { genuine: true, lines: formatDetails(checked, key !== undefined) }
}

/** One thumbprint in 64 begins with `-`, the prefix of an option. It is still the value of the option before it. */
const joinOptionValues = (args: readonly string[]): string[] =>
  args.flatMap((arg, at) => {
    if (['--key', '--tsa'].includes(args[at - 1] ?? '')) return []
    return ['--key', '--tsa'].includes(arg) && args[at + 1] !== undefined ? [`${arg}=${args[at + 1]}`] : [arg]
  })

function parseArguments() {
  const options = { key: { type: 'string' }, tsa: { type: 'string' } } as const
  try {
    return parseArgs({ allowPositionals: true, options, args: joinOptionValues(process.argv.slice(2)) })
  } catch {
    return { positionals: [], values: {} }
  }
}

async function main(): Promise<void> {
  const { positionals, values } = parseArguments()
  if (positionals.length === 0) {
    process.stderr.write(usage)
    process.exitCode = 2
    return
  }
  for (const file of positionals) {
    const { genuine, lines } = await verifyReceiptFile(resolve(file), values)
    process.stdout.write(`${genuine ? '真实' : '不成立'}  ${file}\n${lines.map((line) => `  ${line}\n`).join('')}`)
    if (!genuine) process.exitCode = 1
  }
}

await main()
