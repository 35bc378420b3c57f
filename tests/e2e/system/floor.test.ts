/**
 * The oldest supported browsers (`build/browser-targets.ts`): the built files use nothing newer, and sign-in and
 * payslips work without newer functions.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { desk, mobile, password, useJourney } from '../../support/journey/journey.ts'
import { newerInScript, newerInStyle } from './floor-scan.ts'

const assets = join(import.meta.dirname, '../../../dist/assets')
const built = (ending: string): string[] =>
  readdirSync(assets)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(assets, name), 'utf8'))

/** Newer features that are used all the same, each with the behaviour of an older browser. */
const existing: readonly (readonly [why: string, ...names: string[]])[] = [
  [
    'src/app/polyfills.ts brings them',
    '.at()',
    '.findLast()',
    '.findLastIndex()',
    '.toReversed()',
    '.toSorted()',
    '.toSpliced()',
    '.hasOwn()',
  ],
  ['asked for before they are called', '.randomUUID()', '.showModal()', '.startViewTransition()', 'requestIdleCallback'],
  ['React asks for them first', 'navigation', 'reportError', 'setImmediate'],
  ['ky asks for them first, and we give it neither progress nor pauses', 'AbortSignal.any', '.throwIfAborted()'],
  [
    'WeCom’s own script, fetched only in its client: it asks for them first, and nothing of ours draws by it',
    'OffscreenCanvas',
    '.transfer()',
  ],
  ['the gesture library of antd-mobile asks for them first', 'GestureEvent', '.requestPointerLock()', '.exitPointerLock()'],
  ['the picture of a person at the desk, which may fail and says so', 'createImageBitmap'],
  ['methods of libraries that only share the name', '.isValid()', '.ready()', '.show()'],
  [
    'methods of the charts, or of a canvas, that only share the name',
    '.dispose()',
    '.install()',
    '.resize()',
    '.restore()',
    '.union()',
  ],
]
/** Features that only affect the look, never whether something can be read or clicked. */
const existingLooks: readonly (readonly [why: string, ...names: string[]])[] = [
  [
    'another pointer; phones have none',
    ...['default', 'grab', 'grabbing', 'not-allowed', 'pointer', 'progress', 'zoom-in', 'zoom-out'].map(
      (one) => `cursor: ${one}`,
    ),
  ],
  ['keyboard focus has the ring of the browser', ':focus-visible'],
  ['alignment of a few boxes at the desk', ':has', 'place-items: start'],
  ['below a dialog no shade, where it opens as a box in the page', ':backdrop'],
  ['the fallback in vw stands before', 'container-type', 'container-type: inline-size'],
  ['a text field keeps its height and scrolls', 'field-sizing', 'field-sizing: content', 'resize', 'resize: none'],
  ['long words break later', 'overflow-wrap: anywhere'],
  ['a last line may hold one sign', 'text-wrap', 'text-wrap: balance', 'text-wrap: pretty'],
  [
    'scrolling goes on outside, or at once',
    'overscroll-behavior',
    'overscroll-behavior: contain',
    'scroll-behavior',
    'scroll-behavior: auto',
  ],
  ['a row of tabs shows its scroll bar', 'scrollbar-width', 'scrollbar-width: none'],
  ['a number is selected in two taps, in the next font', 'user-select: all', 'font-family: ui-monospace'],
  ['margins of paper', '@page', 'size'],
]
const names = (table: typeof existing): string[] => table.flatMap(([, ...all]) => all).toSorted()

describe('built files', () => {
  it.each([
    ['[1].findLast(x)', ['.findLast()']],
    ['URL.canParse(a, b)', ['URL.canParse']],
    ['structuredClone(x)', ['structuredClone']],
    ['AbortSignal.timeout(5)', ['AbortSignal.timeout']],
    ['Promise.withResolvers()', ['.withResolvers()']],
    ['a.showPicker?.(); b.map(c); JSON.parse(d)', []],
    [String.raw`/(?<!\d)a/.test(b)`, ['look-behind']],
    ["new RegExp('(?<=a)b')", ['look-behind']],
    ['/a/dg.exec(b)', ['flag d']],
    ['/[a--b]/v.test(c)', ['flag v']],
    [String.raw`/(?<name>a)(?=b)\(?<=/su.test(c)`, []],
  ])('reads %s correctly in the script scan', (code, expected) => expect([...newerInScript(code)]).toEqual(expected))

  it.each([
    ['a{color:color-mix(in srgb,red 9%,blue)}', ['color-mix()']],
    ['a{width:10cqw}', ['cqw']],
    ['a{width:10vw;width:10cqw}', []],
    ['a{width:10vw;width:calc(10cqw + var(--x))}', ['cqw']],
    ['a:has(b){color:red}', [':has']],
    ['a{min-height:100dvh}', ['dvh']],
  ])('reads %s correctly in the style scan', (css, expected) => expect([...newerInStyle(css)]).toEqual(expected))

  it('finds no script call newer than the oldest browsers except known exceptions', () => {
    const matches = new Set(built('.js').flatMap((code) => [...newerInScript(code)]))
    expect([...matches].toSorted()).toEqual(names(existing))
  })

  it('finds no style newer than the oldest browsers except known exceptions', () => {
    const matches = new Set(built('.css').flatMap((text) => [...newerInStyle(text)]))
    expect([...matches].toSorted()).toEqual(names(existingLooks))
  })
})

describe('browser without the newer functions', () => {
  const journey = useJourney({ first: true })

  it.each([
    ['an employee opens a payslip', mobile, '员工'],
    ['an administrator opens the home page', desk, '薪酬管理员（全公司）'],
  ])('%s', async (_, path, who) => {
    const page = await journey.open(undefined, { width: path === mobile ? 360 : 1440 })
    // The next test that gets this tab has the functions again.
    await using _older = await page.addInitScript(() => {
      const lists = ['at', 'findLast', 'findLastIndex', 'toSorted', 'toReversed', 'toSpliced', 'with']
      const removed: [object, ...string[]][] = [
        [Array.prototype, ...lists],
        [Object.getPrototypeOf(Uint8Array.prototype), ...lists],
        [String.prototype, 'at', 'isWellFormed', 'toWellFormed'],
        [Object, 'hasOwn', 'groupBy'],
        [Promise, 'withResolvers', 'try'],
        [URL, 'canParse', 'parse'],
        [AbortSignal, 'any', 'timeout', 'abort'],
        [AbortSignal.prototype, 'throwIfAborted', 'reason'],
        [Crypto.prototype, 'randomUUID'],
        [window, 'structuredClone', 'reportError', 'navigation', 'requestIdleCallback', 'scheduler'],
        [Document.prototype, 'startViewTransition'],
        [HTMLDialogElement.prototype, 'showModal'],
        [Intl, 'Segmenter'],
      ]
      for (const [home, ...names] of removed) for (const name of names) Reflect.deleteProperty(home, name)
    })
    await page.goto(path)
    expect(await page.evaluate(() => ['canParse' in URL, 'structuredClone' in window])).toEqual([false, false])
    await page.getByLabel('手机号').fill(journey.getPhone(who))
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    if (path === mobile) {
      await page.waitForURL('**/m/slips')
      await page.locator('a[href*="/m/slip/"]').first().click()
      await page.getByText('实发').first().waitFor()
    } else {
      await page.waitForURL('**/home')
      await page.getByRole('heading').first().waitFor()
    }
    expect(page.complaints).toEqual([])
  })
})
