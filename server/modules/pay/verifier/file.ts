/** A file that somebody kept: what it is, and whether it is genuine. */
import { decodeUtf8, parseCanonicalJson, VerificationError } from './canonical.ts'
import { evidenceFormat, type VerifiedEvidence, verifyEvidence } from './evidence.ts'
import { type ReceiptClaims, receiptFileFormat, verifyReceiptFile } from './receipt.ts'

export type GenuineFile = {
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
export type FileVerification =
  | GenuineFile
  | { readonly genuine: false; readonly reason: VerificationError['reason']; readonly message: string }

/** In Shanghai, where the people are; the file has the moment itself. */
const formatBeijingTime = (at: string): string =>
  `${new Date(Date.parse(at) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')}（北京时间）`

/** Who wrote the file chose its names: none of them begins a line of the verdict, moves the cursor of a terminal or turns its words round. */
const replaceControlCharacters = (line: string): string => line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd')

export const formatReceiptLines = (claims: ReceiptClaims): string[] => [
  `确认回执：${claims.company} · ${claims.person}${claims.month ? ` · ${claims.month}` : ''} · 第 ${claims.version} 版工资条`,
  `${claims.kind === 'person' ? (claims.handwriting ? '本人手写签名确认' : '本人点击确认') : '按公司设置到期自动确认'}：${formatBeijingTime(claims.confirmed_at)}`,
  `签发时间：${formatBeijingTime(claims.signed_at)}`,
]

const formatEvidenceLines = ({ company, title, month, slips, receipts, signed_at, stamp }: VerifiedEvidence): string[] => [
  `证据包：${company} · ${title}${month ? ` · ${month}` : ''}`,
  `${slips} 张工资条，${receipts} 份确认回执，逐份有效；全部内容与封签一致。`,
  `封签时间：${formatBeijingTime(signed_at)}`,
  ...(stamp
    ? [
        `第三方时间戳：${formatBeijingTime(stamp.at)}，由「${stamp.authority}」签发`,
        `时间戳证书指纹：${stamp.fingerprint}（请与该机构公布的指纹核对）`,
      ]
    : ['没有第三方时间戳：封签时间是这家公司的系统自己说的']),
]

function verifyAnyFile(text: string): Omit<GenuineFile, 'genuine' | 'kids' | 'key_count'> & { keys: readonly { kid: string }[] } {
  const lines = text.split('\n')
  const { form } = parseCanonicalJson(lines[0] ?? '')
  if (form === evidenceFormat) {
    const evidence = verifyEvidence(lines)
    return {
      lines: formatEvidenceLines(evidence),
      kid: evidence.kid,
      keys: evidence.keys,
      authority: evidence.stamp?.fingerprint ?? null,
    }
  }
  if (form !== receiptFileFormat) throw new VerificationError('unreadable', '不是薪函的回执或证据文件，或由更新版本的薪函写成')
  const { receipt, keys } = verifyReceiptFile(text)
  return { lines: formatReceiptLines(receipt.claims), kid: receipt.kid, keys, authority: null }
}

/** Whoever writes a file can put a company's public key behind a key of his own; only what stands before a key has said something of it. */
const getVouchingKeyIds = (signer: string, keys: readonly { readonly kid: string }[]): string[] =>
  keys.slice(0, keys.findIndex(({ kid }) => kid === signer) + 1).map(({ kid }) => kid)

/** Of any kind. Never throws for what stands in a file. */
export function verifyFile(bytes: Uint8Array): FileVerification {
  try {
    const { keys, ...verified } = verifyAnyFile(decodeUtf8(bytes))
    return {
      genuine: true,
      ...verified,
      lines: verified.lines.map(replaceControlCharacters),
      kids: getVouchingKeyIds(verified.kid, keys),
      key_count: keys.length,
    }
  } catch (error) {
    if (error instanceof VerificationError) return { genuine: false, reason: error.reason, message: error.message }
    throw error
  }
}
