import { useEffect, useRef } from 'react'

const controls = 'input:not([type="hidden"]), button'

/**
 * Moving something takes it out of the page for a moment, and the focus with it. `keep(selector)` remembers which control of it had the
 * focus; when `moved` has changed and the focus is lost, the same control gets it back, or the nearest before it that can be used.
 */
export function useKeptFocus(...moved: readonly unknown[]) {
  const kept = useRef<{ selector: string; at: number } | null>(null)
  // The focus is the browser's: it can be given back only once the moved element stands in the page again.
  useEffect(() => {
    const was = kept.current
    if (!was) return
    kept.current = null
    const all = [...document.querySelectorAll<HTMLInputElement | HTMLButtonElement>(`${was.selector} :is(${controls})`)]
    const now = document.activeElement
    if (now !== null && now !== document.body && !(now instanceof HTMLButtonElement && now.disabled)) return
    const usable = all.slice(0, was.at + 1).filter((control) => !control.disabled)
    usable.at(-1)?.focus()
    // oxlint-disable-next-line react/exhaustive-deps -- what moved decides when
  }, moved)
  return (selector: string) => {
    const all = [...document.querySelectorAll(`${selector} :is(${controls})`)]
    kept.current = { selector, at: Math.max(0, all.indexOf(document.activeElement ?? document.body)) }
  }
}
