/** Passwords: Argon2id, two hashes at a time; common passwords are rejected when set. */
import { hash, verify } from '@node-rs/argon2'
import { isCommonPassword } from '../../../contract/auth/common-passwords.ts'
import { fail, invalidInput } from '../../../http/handler.ts'

/**
 * 19 MiB, 2 passes and 1 lane (OWASP) take 11–15 ms. `algorithm: 2` is Argon2id; the enum of the library is not
 * erasable.
 */
const argon2Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

// Two concurrent hashes leave a core for everything else; further requests queue, and beyond 32 they are rejected
// before any hashing.
const maxConcurrentHashes = 2
const maxQueuedHashes = 32
let runningHashes = 0
const waitingHashes: (() => void)[] = []

async function runWithHashSlot<T>(run: () => Promise<T>): Promise<T> {
  if (runningHashes >= maxConcurrentHashes) {
    if (waitingHashes.length >= maxQueuedHashes) throw fail('too_often', '登录的人较多，请稍后再试', { retry_after: 3 })
    await new Promise<void>((resolve) => waitingHashes.push(resolve))
  }
  runningHashes += 1
  try {
    return await run()
  } finally {
    runningHashes -= 1
    waitingHashes.shift()?.()
  }
}

/**
 * Normalizes to NFC without trimming, so that the same password typed on two keyboards is equal and spaces are kept.
 */
const normalizePassword = (password: string): string => password.normalize('NFC')

export const hashPassword = (password: string): Promise<string> =>
  runWithHashSlot(() => hash(normalizePassword(password), argon2Options))

let placeholderHash: Promise<string> | null = null
/** Verifies a password. An unknown account takes the same time as a known one. */
export async function isPasswordCorrect(stored: string | null, password: string): Promise<boolean> {
  const comparedHash = stored ?? (await (placeholderHash ??= hash('nobody has this password', argon2Options)))
  const matches = await runWithHashSlot(() => verify(comparedHash, normalizePassword(password)))
  return stored !== null && matches
}

/**
 * Throws when a new password is among the most common, derives from the user's phone or company (an operator's: from
 * the user name), or differs when repeated.
 */
export function assertPasswordStrong(
  password: string,
  confirm: string,
  field: string,
  owner: { mobile: string; company?: string } | { user_name: string },
): void {
  if (password !== confirm) throw invalidInput('confirm_password', '两次输入的密码不一致')
  const lowerCased = password.toLowerCase()
  if (isCommonPassword(lowerCased)) throw invalidInput(field, '这个密码太常见，容易被猜到，请换一个')
  const contains = (text: string) => text !== '' && lowerCased.includes(text.toLowerCase())
  if ('user_name' in owner) {
    if (contains(owner.user_name)) throw invalidInput(field, '密码不能含有用户名，请换一个')
    return
  }
  const isPersonal = owner.mobile.includes(lowerCased) || contains(owner.mobile) || contains(owner.company ?? '')
  if (isPersonal) throw invalidInput(field, '密码不能是您的手机号或公司名称，请换一个')
}
