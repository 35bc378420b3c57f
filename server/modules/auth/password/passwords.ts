/** Passwords: Argon2id, two hashes at a time; common passwords are rejected when set. */
import { hash, verify } from '@node-rs/argon2'
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

/** Throws when a new password is among the most common, derives from the user's phone or company, or differs when repeated. */
export function assertPasswordStrong(
  password: string,
  confirm: string,
  field: string,
  owner: { mobile: string; company?: string },
): void {
  if (password !== confirm) throw invalidInput('confirm_password', '两次输入的密码不一致')
  const lowerCased = password.toLowerCase()
  if (isCommonPassword(lowerCased)) throw invalidInput(field, '这个密码太常见，容易被猜到，请换一个')
  const isPersonal =
    owner.mobile.includes(lowerCased) ||
    lowerCased.includes(owner.mobile) ||
    (owner.company && lowerCased.includes(owner.company.toLowerCase()))
  if (isPersonal) throw invalidInput(field, '密码不能是您的手机号或公司名称，请换一个')
}

const commonBases =
  'password passw0rd p@ssw0rd p@ssword admin root user test guest qwer qwerty qwertyuiop asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qazwsxedc abc abcd abcdef abcdefg abcabc aaa aaaaaa iloveyou woaini woaini1314 aini love lover letmein welcome monkey dragon sunshine princess football master shadow superman batman michael jordan pokemon killer charlie trustno1 hello hellohello login starwars computer internet xinhan gongzi gongzitiao nihao zhang wang wangyut2 li liu chen yang huang zhao wu zhou xu sun caonima woaiwojia company china beijing shanghai changeme default secret qq wechat weixin taobao alibaba'.split(
    ' ',
  )
const commonSuffixes =
  ' 1 12 123 1234 12345 123456 1234567 12345678 123456789 0 00 000 01 11 111 1111 22 222 321 520 521 5201314 1314 666 6666 888 8888 99 999 2020 2021 2022 2023 2024 2025 2026 ! !! @ @123 @1234 !@# # . a abc q qwe'.split(
    ' ',
  )
const commonPasswords = new Set(
  '1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc qaz123 qwe123 qweqwe asd123 asdasd zxc123 a123456 a12345678 a123456789 aa123456 aa123123 abc123456 q1w2e3r4 123qwe 123qweasd 123abc 123321 1234321 123123 123123123 112233 11223344 121212 131313 147258 147258369 159357 159753 258456 520520 5201314 5211314 1314520 13145200 147852 741852963 789456 789456123 888888 666666 987654321 0987654321 100200 101010 102030 110110 123654 135790 142536 147147 168168 200000 202020 232323 252525 456456 456789 518518 555666 654321 696969 741852 753951 789789 963852741 987654 998877 a1b2c3 a1b2c3d4 a1s2d3f4 zaq12wsx zaq1xsw2'.split(
    ' ',
  ),
)

const isCommonSuffix = (rest: string): boolean => commonSuffixes.includes(rest) || /^(\d)\1*$/.test(rest)

/**
 * Recognizes the few thousand most common passwords by families: words with the usual suffixes, repetitions, sequences,
 * keyboard walks, dates. Expects lower case.
 */
export function isCommonPassword(lowerCased: string): boolean {
  if (commonPasswords.has(lowerCased)) return true
  if (/^(.{1,4})\1+$/.test(lowerCased)) return true
  if ('01234567890123456789'.includes(lowerCased) || '98765432109876543210'.includes(lowerCased)) return true
  if (/^(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(lowerCased)) return true
  return commonBases.some((base) => lowerCased.startsWith(base) && isCommonSuffix(lowerCased.slice(base.length)))
}
