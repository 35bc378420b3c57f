/**
 * Where somebody's hand is when he asks for something. An answer may come seconds later: `wentOn` says whether he has since gone to another field that was
 * there, or has typed on in his. Taking the focus then would send the rest of what he types into a field that he does not look at.
 */
export function noteHand(): () => boolean {
  const at = document.activeElement
  const values = new Map(
    [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(fields)].map((one) => [one, one.value]),
  )
  return () => {
    const now = document.activeElement
    if (!(now instanceof HTMLInputElement || now instanceof HTMLTextAreaElement) || !values.has(now)) return false
    return now !== at || now.value !== values.get(now)
  }
}
const fields = 'input, textarea'

/** What had the focus is gone from the page, and nothing else has it. */
export const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body
