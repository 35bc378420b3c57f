/**
 * Where somebody's hand is when he asks for something. An answer may come seconds later: `wentOn` says whether he has since gone to another field that was
 * there, or has typed on in his. Taking the focus then would send the rest of what he types into a field that he does not look at.
 */
export function captureFocus(): () => boolean {
  const focused = document.activeElement
  const values = new Map(
    [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(fieldSelector)].map((one) => [one, one.value]),
  )
  return () => {
    const active = document.activeElement
    if (!(active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) || !values.has(active)) return false
    return active !== focused || active.value !== values.get(active)
  }
}
const fieldSelector = 'input, textarea'

/** What had the focus is gone from the page, and nothing else has it. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body
