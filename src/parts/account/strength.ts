/** How hard a password is to guess, in a word: a hint while one types, never a condition. The server refuses the commonest. */
export type Strength = 'short' | 'weak' | 'fair' | 'strong'

export const strengthWords: Record<Strength, string> = {
  short: '太短：至少 6 位',
  weak: '弱：容易被猜到，请加长或混用字母、数字和符号',
  fair: '中：可以使用，再长一些更安全',
  strong: '强：不容易被猜到',
}
export const strengthSteps: readonly Strength[] = ['short', 'weak', 'fair', 'strong']

const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/]
const rows = ['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', '09876543210']

/** One character again and again, or a run along the keyboard or the alphabet. */
const isRun = (text: string) => {
  const plain = text.toLowerCase()
  return new Set(plain).size <= 2 || rows.some((row) => row.includes(plain)) || /^(.{1,4})\1+$/.test(plain)
}

export function strengthOf(password: string): Strength {
  const long = [...password].length
  if (long < 6) return 'short'
  const mixed = kinds.filter((kind) => kind.test(password)).length
  if (isRun(password) || /^(19|20)\d{6}$/.test(password) || /^1\d{10}$/.test(password)) return 'weak'
  if ((long >= 12 && mixed >= 2) || (long >= 10 && mixed >= 3) || long >= 20) return 'strong'
  return long >= 8 && mixed >= 2 ? 'fair' : 'weak'
}
