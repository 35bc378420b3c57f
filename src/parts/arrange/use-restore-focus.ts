import { useEffect, useRef } from 'react'

const controlSelector = 'input:not([type="hidden"]), button'

/**
 * Moving something takes it out of the page for a moment, and the focus with it. `keep(selector)` remembers which control of it had the
 * focus; when `dependencies` has changed and the focus is lost, the same control gets it back, or the nearest before it that can be used.
 */
export function useRestoreFocus(...dependencies: readonly unknown[]) {
  const savedFocus = useRef<{ selector: string; at: number } | null>(null)
  // The focus is the browser's: it can be given back only once the moved element stands in the page again.
  useEffect(() => {
    const saved = savedFocus.current
    if (!saved) return
    savedFocus.current = null
    const all = [...document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(`${saved.selector} :is(${controlSelector})`)]
    const active = document.activeElement
    if (active !== null && active !== document.body && !(active instanceof HTMLButtonElement && active.disabled)) return
    const usable = all.slice(0, saved.at + 1).filter((control) => !control.disabled)
    usable.at(-1)?.focus()
    // oxlint-disable-next-line react/exhaustive-deps -- what moved decides when
  }, dependencies)
  return (selector: string) => {
    const all = [...document.querySelectorAll(`${selector} :is(${controlSelector})`)]
    savedFocus.current = { selector, at: Math.max(0, all.indexOf(document.activeElement ?? document.body)) }
  }
}
