/** Detects overlapping texts on a page. */
import type { Page } from 'playwright-core'

/** Enlarges the letters as a user's phone setting does. */
export const enlarge = (page: Page, times: number): Promise<void> =>
  page.evaluate((factor) => {
    const sizes = [...document.querySelectorAll<HTMLElement>('body, body *')].map(
      (one) => [one, Number.parseFloat(getComputedStyle(one).fontSize)] as const,
    )
    for (const [one, size] of sizes) if (one.style) one.style.fontSize = `${size * factor}px`
  }, times)

/**
 * Returns texts that overlap one another or exceed the window, as `甲 × 乙`. A text cut off by an ellipsis ends at the
 * cut.
 */
export const textsInTheChannel = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    type Area = { text: string; bar: Element | null; left: number; right: number; top: number; bottom: number }
    const areas: Area[] = []
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walk.nextNode()) {
      const node = walk.currentNode
      const parent = node.parentElement
      const text = (node.textContent ?? '').trim()
      if (!text || !parent || parent.closest('.sr-only, svg, script, style, [aria-hidden=true]') || !parent.checkVisibility())
        continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const { left, right, top, bottom } of range.getClientRects()) {
        let [from, to] = [left, right]
        for (let home: Element | null = parent; home; home = home.parentElement) {
          if (getComputedStyle(home).overflowX === 'visible') continue
          const box = home.getBoundingClientRect()
          ;[from, to] = [Math.max(from, box.left), Math.min(to, box.right)]
        }
        const bar = parent.closest('.m-top, .m-home, .m-bar, .pocket-tabs, .m-compose')
        if (to - from > 1) areas.push({ text: text.slice(0, 14), bar, left: from, right: to, top, bottom })
      }
    }
    const over = areas.flatMap((one, at) =>
      areas.slice(at + 1).flatMap((other) => {
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
        // Line boxes are a little higher than their characters, more so for large letters.
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
        const air = Math.max(5, Math.min(one.bottom - one.top, other.bottom - other.top) / 5)
        return one.bar === other.bar && wide > 2 && high > air ? [`${one.text} × ${other.text}`] : []
      }),
    )
    const outside = areas.filter(({ left, right }) => left < -1 || right > innerWidth + 1).map(({ text }) => `${text} is outside`)
    const pressed = [...document.querySelectorAll<HTMLElement>('button, a[href], input')]
      .filter((one) => one.checkVisibility() && one.getClientRects().length > 0 && !one.closest('.m-years'))
      .filter((one) => one.getBoundingClientRect().left < -1 || one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => `${one.getAttribute('aria-label') ?? one.textContent} is outside`)
    return [...over, ...outside, ...pressed]
  })
