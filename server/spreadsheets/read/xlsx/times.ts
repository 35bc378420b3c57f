/**
 * Formats numbers like a spreadsheet in formats of hours, minutes and seconds. `[h]` counts beyond a day: 1.24 is 29:45
 * in `[h]:mm`, and 5:45 in `h:mm`. Units that the format does not display are cut, as in Excel; only the last displayed
 * fraction of a second is rounded.
 */

/** Formats a serial number; null if the result would be a date. */
type TimeFormatter = (serial: number) => string | null

type TimeUnit = 'd' | 'h' | 'm' | 's'
type FormatToken =
  | { readonly text: string }
  | { readonly unit: TimeUnit; readonly width: number; readonly elapsed: boolean }
  | { readonly places: number }
  | { readonly noon: readonly [am: string, pm: string] }

const tokenPattern =
  /"([^"]*)"|\\(.)|[_*].|\[(h+|m+|s+)\]|\[([^\]]*)\]|(am\/pm|a\/p|上午\/下午)|(d+|h+|m+|s+)|\.(0+)|([^a-z0#?%@])|(.)/giu

/** Matches the sections of a format: for positive, negative and zero numbers, and for texts. */
const sectionPattern = /(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])+/g

/** Returns null if the format contains more than hours, minutes and seconds; days may be with them, as in `d"天"h"小时"`. */
export function parseTimeFormat(code: string): TimeFormatter | null {
  const sections = code.match(sectionPattern) ?? []
  // With conditions, `[<1]h:mm;[h]:mm`, the section that counts beyond a day is correct for both.
  const selected = /\[[<>=]/.test(code) ? sections.find((one) => /\[(?:h+|m+|s+)\]/i.test(one)) : sections[0]
  const tokens = selected === undefined ? null : tokenize(selected)
  if (!tokens || !isTimeFormat(tokens)) return null
  return (serial) => formatSerial(tokens, serial)
}

/** Returns null if the code contains anything that no time format contains. */
function tokenize(code: string): FormatToken[] | null {
  const tokens: FormatToken[] = []
  for (const [, quoted, escaped, elapsed, , noon, unit, places, sign, other] of code.matchAll(tokenPattern)) {
    if (other !== undefined) return null
    const text = quoted ?? escaped ?? sign
    if (text !== undefined) tokens.push({ text })
    else if (elapsed !== undefined) tokens.push({ unit: toTimeUnit(elapsed), width: elapsed.length, elapsed: true })
    else if (unit !== undefined) tokens.push({ unit: toTimeUnit(unit), width: unit.length, elapsed: false })
    else if (places !== undefined) tokens.push({ places: places.length })
    else if (noon !== undefined) tokens.push({ noon: getHalfDayLabels(noon) })
  }
  return tokens
}

const toTimeUnit = (letters: string): TimeUnit => {
  const letter = letters.charAt(0).toLowerCase()
  return letter === 'd' || letter === 'h' || letter === 'm' ? letter : 's'
}

function getHalfDayLabels(written: string): readonly [am: string, pm: string] {
  const [am = '', pm = ''] = written.split('/')
  return [am, pm]
}

/** `m` means minutes after hours and before seconds, and months elsewhere. */
function isTimeFormat(tokens: readonly FormatToken[]): boolean {
  const units = tokens.flatMap((one) => ('unit' in one ? [one] : []))
  const isMinute = (at: number) => units[at]?.elapsed || units[at - 1]?.unit === 'h' || units[at + 1]?.unit === 's'
  return (
    units.some(({ unit, elapsed }) => unit === 'h' || unit === 's' || elapsed) &&
    units.every(({ unit, width, elapsed }, at) => (unit !== 'm' || isMinute(at)) && (elapsed || width <= 2))
  )
}

function formatSerial(tokens: readonly FormatToken[], serial: number): string | null {
  const units = tokens.flatMap((one) => ('unit' in one ? [one] : []))
  // The day of the month is a count of days as long as the month is January 1900.
  if (units.some(({ unit }) => unit === 'd') && !(serial >= 0 && serial < 32)) return null
  const places = Math.max(0, ...tokens.map((one) => ('places' in one ? one.places : 0)))
  const isHalved = tokens.some((one) => 'noon' in one)
  const sections = Math.round(Math.abs(serial) * 86_400 * 10 ** places)
  if (!Number.isSafeInteger(sections)) return null
  const seconds = Math.floor(sections / 10 ** places)
  const hours = Math.floor(seconds / 3600)
  const display = ({ unit, elapsed }: { unit: TimeUnit; elapsed: boolean }): number => {
    if (unit === 'd') return Math.floor(hours / 24)
    if (unit === 'm') return elapsed ? Math.floor(seconds / 60) : Math.floor(seconds / 60) % 60
    if (unit === 's') return elapsed ? seconds : seconds % 60
    return elapsed ? hours : isHalved ? ((hours + 11) % 12) + 1 : hours % 24
  }
  const text = tokens.map((one) => {
    if ('text' in one) return one.text
    if ('places' in one)
      return `.${String(sections % 10 ** places)
        .padStart(places, '0')
        .slice(0, one.places)}`
    if ('noon' in one) return one.noon[hours % 24 < 12 ? 0 : 1]
    return String(display(one)).padStart(one.width, '0')
  })
  return `${serial < 0 && sections > 0 ? '-' : ''}${text.join('').trim()}`
}
