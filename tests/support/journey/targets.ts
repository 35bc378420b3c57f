/** Finds targets that are too small for a thumb. */
import type { Page } from 'playwright-core'

/**
 * Returns every target of a page that is smaller than 40 × 40 px, as `40 × 32 button 确定`. As in WCAG 2.5.8 a small
 * target is allowed if a circle of that size around its center meets no other target and no other small target's
 * circle, and so is a link in a sentence. `within` limits it to parts (a dialog: what is below it cannot be clicked).
 */
export const smallTargets = (page: Page, within = 'body'): Promise<string[]> =>
  page.evaluate(
    ([least, root]) => {
      type Box = { left: number; right: number; top: number; bottom: number }
      const requested =
        'a[href], button, input:not([type=hidden]), select, textarea, summary, label:has(input), [role=button], [role=tab], [role=switch], [role=menuitem], [role=option], [role=link], [role=checkbox], [role=radio]'
      const isViewed = (one: Element): boolean => {
        const box = one.getBoundingClientRect()
        const style = getComputedStyle(one)
        if (box.width < 2 || box.height < 2 || style.visibility === 'hidden' || style.pointerEvents === 'none') return false
        return !one.closest('[inert], [aria-hidden=true], .sr-only') && one.checkVisibility({ opacityProperty: true })
      }
      /** Returns the element that belongs to the click target: the label around a checkbox, the frame around a field. */
      const frame = (one: Element): Element =>
        one.closest('label') ??
        (one.matches('input, textarea')
          ? one.closest('.ant-select, .ant-picker, .ant-input-affix-wrapper, .light-form-input')
          : null) ??
        one
      const inSentence = (one: Element): boolean => {
        const parent = one.parentElement
        if (one.tagName !== 'A' || !parent || getComputedStyle(one).display !== 'inline') return false
        return (parent.textContent ?? '').trim().length > (one.textContent ?? '').trim().length + 1
      }
      const inside = [...document.querySelectorAll(requested)].filter((one) => one.closest(root))
      const all = [...new Set(inside.filter(isViewed).map(frame))].filter(isViewed)
      const targets = all
        .filter((one) => !all.some((other) => other !== one && other.contains(one) && other.tagName === 'LABEL'))
        .map((one) => ({ one, box: one.getBoundingClientRect() }))
      const isSmall = (box: DOMRect): boolean => box.width < least - 0.5 || box.height < least - 0.5
      const middle = (box: DOMRect) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 })
      /** Returns the distance from a point to the nearest point of a box. */
      const away = ({ x, y }: { x: number; y: number }, box: Box): number =>
        Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom))
      const isCrowded = ({ one, box }: (typeof targets)[number]): boolean =>
        targets.some(({ one: other, box: near }) => {
          if (other === one || other.contains(one) || one.contains(other)) return false
          const [current, its] = [middle(box), middle(near)]
          return away(current, near) < least / 2 || (isSmall(near) && Math.hypot(current.x - its.x, current.y - its.y) < least)
        })
      return targets
        .filter((each) => isSmall(each.box) && !inSentence(each.one) && isCrowded(each))
        .map(({ one, box }) => {
          const message = (one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 16)
          const name =
            one.className && typeof one.className === 'string' ? `.${one.className.split(' ').slice(0, 2).join('.')}` : ''
          return `${Math.round(box.width)} × ${Math.round(box.height)} ${one.tagName.toLowerCase()}${name} ${message}`
        })
    },
    [40, within] as const,
  )
