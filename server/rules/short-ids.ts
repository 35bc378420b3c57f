/**
 * Short codes for links in an SMS, where one character more may cost a second segment: the last 64 bits of an id, of
 * which 62 are random, as 11 characters instead of 32. A code cannot be turned back into the id. It becomes a partial id
 * that has the form of an id, so that it fits wherever an id does, and it is looked up only among what already belongs
 * to the signed-in user.
 */
const partialIdPattern = /^00000000-0000-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Eleven characters hold two bits more than the id needs: one of them says that the link leads to its feedback. */
const feedbackBit = 0x40
const codeLength = 11

export function toShortCode(id: string, { isFeedback = false } = {}): string {
  const half = Buffer.from(id.replaceAll('-', '').slice(16), 'hex')
  return Buffer.from([...half, isFeedback ? feedbackBit : 0])
    .toString('base64url')
    .slice(0, codeLength)
}
/** Whether the code leads to the feedback on a payslip. */
export const isFeedbackCode = (code: string): boolean => Buffer.from(`${code}A`, 'base64url').at(8) === feedbackBit

/** Returns the partial id for a code; null if it is not a code. */
export function toPartialId(code: string): string | null {
  if (!/^[\w-]{11}$/.test(code)) return null
  const hex = Buffer.from(code, 'base64url').toString('hex')
  const id = `00000000-0000-7000-${hex.slice(0, 4)}-${hex.slice(4)}`
  return partialIdPattern.test(id) ? id : null
}
