/** The unified social credit code of an organization (GB 32100-2015), which is its tax number. */
import { normalizeText } from './text.ts'

/** The 31 characters of a code in the order of their values: digits and capitals without I, O, S, V and Z. */
const characters = '0123456789ABCDEFGHJKLMNPQRTUWXY'
const codeLength = 18

/** Normalizes a code for storage: capitals, no spaces. */
export const normalizeCreditCode = (text: string): string => normalizeText(text).replace(/[\s-]/g, '').toUpperCase()

/** Returns why the code is invalid, for the user who typed it; null if it is valid. */
export function validateCreditCode(text: string): string | null {
  const code = normalizeCreditCode(text)
  if (code.length !== codeLength) return `统一社会信用代码应为 ${codeLength} 位，现在是 ${code.length} 位`
  const invalidCharacter = [...code].find((each) => !characters.includes(each))
  if (invalidCharacter !== undefined) return `统一社会信用代码里没有「${invalidCharacter}」，请核对（不使用字母 I、O、S、V、Z）`
  // ISO 7064 MOD 31-3: the weights are powers of 3.
  let [sum, weight] = [0, 1]
  for (const each of code.slice(0, -1)) {
    sum += characters.indexOf(each) * weight
    weight = (weight * 3) % 31
  }
  const check = characters[(31 - (sum % 31)) % 31]
  return code.endsWith(check ?? '') ? null : '统一社会信用代码的校验位不对，可能输错了一位，请对照营业执照核对'
}
