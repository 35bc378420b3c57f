/** Detects the kind of an exported file and verifies it. */
import { decodeUtf8, parseCanonicalJson, VerificationError } from './canonical.ts'
import { evidenceFormat, type VerifiedEvidence, verifyEvidence } from './evidence.ts'
import { type ReceiptClaims, receiptFileFormat, verifyReceiptFile } from './receipt.ts'

export type GenuineFile = {
  readonly genuine: true
  /** Readable lines describing the content. */
  readonly lines: readonly string[]
  /** Thumbprint of the signing key, and of those that vouch for it: itself and all before it; none vouches for an earlier one. */
  readonly kid: string
  readonly kids: readonly string[]
  readonly key_count: number
  /** Fingerprint of the certificate of the time-stamping authority; null where there is no time stamp. */
  readonly authority: string | null
}
export type FileVerification =
  | GenuineFile
  | { readonly genuine: false; readonly reason: VerificationError['reason']; readonly message: string }

/** Formats a time in Shanghai, where the employees are; the file itself holds UTC. */
const formatBeijingTime = (at: string): string =>
  `${new Date(Date.parse(at) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')}（北京时间）`

/**
 * Replaces control characters. The names come from the author of the file and must not start a line of the result, move
 * the terminal cursor or reverse the text direction.
 */
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

/**
 * Returns the keys that vouch for the signer. The author of a file can append a company's public key after their own;
 * only keys before the signer have vouched for it.
 */
const getVouchingKeyIds = (signer: string, keys: readonly { readonly kid: string }[]): string[] =>
  keys.slice(0, keys.findIndex(({ kid }) => kid === signer) + 1).map(({ kid }) => kid)

/** Verifies a file of any kind. Never throws because of its content. */
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
