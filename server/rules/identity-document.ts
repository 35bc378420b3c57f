/**
 * Recognizes identity documents accepted for employment in mainland China by the format of their numbers. The labels
 * are those of the tax client's 证件类型 (Natural Person Electronic Tax Bureau, withholding client).
 */
import { isIdCard, normalizeIdCard } from './id-card.ts'

type IdentityDocumentKind =
  | 'id_card'
  | 'hk_macao_residence'
  | 'taiwan_residence'
  | 'hk_macao_permit'
  | 'taiwan_permit'
  | 'foreign_residence'
  | 'passport'

export const identityDocumentLabels: Readonly<Record<IdentityDocumentKind, string>> = {
  id_card: '居民身份证',
  hk_macao_residence: '港澳居民居住证',
  taiwan_residence: '台湾居民居住证',
  hk_macao_permit: '港澳居民来往内地通行证',
  taiwan_permit: '台湾居民来往大陆通行证',
  foreign_residence: '外国人永久居留身份证',
  passport: '护照',
}

/** Eight digits that form a date are not a permit number. */
const datePattern = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/
const documentPatterns: readonly (readonly [IdentityDocumentKind, RegExp])[] = [
  // The number is H or M, eight digits for the holder, and on older cards two digits for the issue.
  ['hk_macao_permit', /^[HM]\d{8}(?:\d{2})?$/],
  ['taiwan_permit', /^(?:\d{8}|\d{10}\([A-Z\d]\)|\d{10}[A-Z])$/],
  // The card issued before 2017, which has the country, then twelve digits.
  ['foreign_residence', /^[A-Z]{3}\d{12}$/],
  ['passport', /^(?=[A-Z\d]{7,10}$)(?:[A-Z]{1,2}\d{6,8}|[A-Z]\d{2}[A-Z\d]{5,6}|[A-Z]{3}\d{5,7}|\d{2}[A-Z]{2}\d{5})$/],
]

/** Returns null if the number matches no document. */
export function detectIdentityDocument(text: string): IdentityDocumentKind | null {
  const number = normalizeIdCard(text)
  if (isIdCard(number)) {
    if (/^8[12]0000/.test(number)) return 'hk_macao_residence'
    if (number.startsWith('830000')) return 'taiwan_residence'
    return number.startsWith('9') ? 'foreign_residence' : 'id_card'
  }
  if (datePattern.test(number)) return null
  return documentPatterns.find(([, form]) => form.test(number))?.[0] ?? null
}
