import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildThemeVariables, type ColorName, colors, fontFamily } from '../../src/theme.ts'

const css = readFileSync(new URL('../../src/theme.css', import.meta.url), 'utf8')

test('theme.css equals theme.ts', () => {
  expect(css).toContain(buildThemeVariables())
  // The formatter may wrap the list of fonts.
  expect(css.replace(/\s+/g, ' ')).toContain(fontFamily)
})

const channel = (value: number) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const luminance = (hex: string) => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(hex.slice(at, at + 2), 16) / 255))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: string, b: string) => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

for (const scheme of ['light', 'dark'] as const)
  test(`every text colour is readable on both surfaces, ${scheme}`, () => {
    const view = colors[scheme]
    for (const text of ['ink', 'ink2', 'ink3', 'brand', 'danger', 'warn', 'ok', 'info'] satisfies ColorName[])
      for (const surface of ['paper', 'card'] satisfies ColorName[])
        expect(contrast(view[text], view[surface]), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5)
    expect(contrast(view['on-brand'], view.brand)).toBeGreaterThanOrEqual(4.5)
  })
