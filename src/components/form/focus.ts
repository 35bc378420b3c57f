/**
 * Captures the focus and the field values when a request starts. The response may come seconds later: the returned
 * function tells whether the user has since moved to another existing field or continued typing. Moving the focus then
 * would send the rest of their typing into a field they are not looking at.
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

/** Returns whether the focused element was removed and nothing else has the focus. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body
