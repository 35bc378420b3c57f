/** A file that somebody kept: what it is, and whether it is genuine. */
import { readCanonical, textOf, Wrong } from './canonical.ts'
import { type CheckedEvidence, checkEvidence, evidence_form } from './evidence.ts'
import { checkReceiptFile, type ReceiptSays, receipt_file_form } from './receipt.ts'

export type Genuine = {
  readonly genuine: true
  /** What it says, for people. */
  readonly lines: readonly string[]
  /** The thumbprint of the key that signed it, and of those that vouch for it: it and all before it. A key does not vouch for those before itself. */
  readonly kid: string
  readonly kids: readonly string[]
  readonly key_count: number
  /** Of the certificate of the authority that has stamped it; null where none has. */
  readonly authority: string | null
}
export type FileVerdict = Genuine | { readonly genuine: false; readonly why: Wrong['why']; readonly message: string }

/** In Shanghai, where the people are; the file has the moment itself. */
const timeOf = (at: string): string =>
  `${new Date(Date.parse(at) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')}（北京时间）`

/** Who wrote the file chose its names: none of them begins a line of the verdict, moves the cursor of a terminal or turns its words round. */
const plain = (line: string): string => line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd')

export const receiptLines = (says: ReceiptSays): string[] => [
  `确认回执：${says.company} · ${says.person}${says.month ? ` · ${says.month}` : ''} · 第 ${says.version} 版工资条`,
  `${says.kind === 'person' ? (says.handwriting ? '本人手写签名确认' : '本人点击确认') : '按公司设置到期自动确认'}：${timeOf(says.confirmed_at)}`,
  `签发时间：${timeOf(says.signed_at)}`,
]

const evidenceLines = ({ company, title, month, slips, receipts, signed_at, stamp }: CheckedEvidence): string[] => [
  `证据包：${company} · ${title}${month ? ` · ${month}` : ''}`,
  `${slips} 张工资条，${receipts} 份确认回执，逐份有效；全部内容与封签一致。`,
  `封签时间：${timeOf(signed_at)}`,
  ...(stamp
    ? [
        `第三方时间戳：${timeOf(stamp.at)}，由「${stamp.authority}」签发`,
        `时间戳证书指纹：${stamp.print}（请与该机构公布的指纹核对）`,
      ]
    : ['没有第三方时间戳：封签时间是这家公司的系统自己说的']),
]

function checkAny(text: string): Omit<Genuine, 'genuine' | 'kids' | 'key_count'> & { keys: readonly { kid: string }[] } {
  const lines = text.split('\n')
  const { form } = readCanonical(lines[0] ?? '')
  if (form === evidence_form) {
    const checked = checkEvidence(lines)
    return { lines: evidenceLines(checked), kid: checked.kid, keys: checked.keys, authority: checked.stamp?.print ?? null }
  }
  if (form !== receipt_file_form) throw new Wrong('unreadable', '不是薪函的回执或证据文件，或由更新版本的薪函写成')
  const { receipt, keys } = checkReceiptFile(text)
  return { lines: receiptLines(receipt.says), kid: receipt.kid, keys, authority: null }
}

/** Whoever writes a file can put a company's public key behind a key of his own; only what stands before a key has said something of it. */
const vouchingFor = (signer: string, keys: readonly { readonly kid: string }[]): string[] =>
  keys.slice(0, keys.findIndex(({ kid }) => kid === signer) + 1).map(({ kid }) => kid)

/** Of any kind. Never throws for what stands in a file. */
export function checkFile(bytes: Uint8Array): FileVerdict {
  try {
    const { keys, ...told } = checkAny(textOf(bytes))
    return { genuine: true, ...told, lines: told.lines.map(plain), kids: vouchingFor(told.kid, keys), key_count: keys.length }
  } catch (error) {
    if (error instanceof Wrong) return { genuine: false, why: error.why, message: error.message }
    throw error
  }
}
