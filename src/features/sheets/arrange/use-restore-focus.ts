import { useEffect, useRef } from 'react'

const controlSelector = 'input:not([type="hidden"]), button'

/**
 * Restores the focus after an element moved. Moving removes the element from the DOM for a moment and loses its focus.
 * The returned function remembers which control inside `selector` had the focus; when `dependencies` have changed and
 * the focus is lost, the same control gets it back, or the nearest usable one before it.
 */
export function useRestoreFocus(...dependencies: readonly unknown[]) {
  const savedFocus = useRef<{ selector: string; at: number } | null>(null)
  // The focus can be restored only after the moved element is back in the DOM.
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
