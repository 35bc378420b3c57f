/** Which font draws which signs of a text, and what stands in the place of a sign that none has. Pure. */

export type HasGlyph = (code: number) => boolean
/** `for`: the sign in whose place the text stands; it is copied along with it. */
export type FontRun = { readonly text: string; readonly isRare: boolean; readonly replaces?: string }

/** As people can look it up: 〔U+20BB7〕. An empty box would say nothing. */
const formatCodePoint = (code: number): string => `〔U+${code.toString(16).toUpperCase().padStart(4, '0')}〕`

/** Variation selectors and joiners choose a form of the sign before them; alone they are nothing to draw. */
const isInvisible = (code: number): boolean =>
  code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)

/** A text in runs of one font each: the main one, where it has the sign; the one for rare signs, where that has it; else its number in words. */
export function splitIntoFontRuns(text: string, hasGlyph: HasGlyph, hasRareGlyph: HasGlyph): FontRun[] {
  const runs: { text: string; isRare: boolean; replaces?: string }[] = []
  const append = (chunk: string, rare: boolean) => {
    const last = runs.at(-1)
    if (last?.isRare === rare && !last.replaces) last.text += chunk
    else runs.push({ text: chunk, isRare: rare })
  }
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20 || hasGlyph(code)) append(character, false)
    else if (hasRareGlyph(code)) append(character, true)
    else if (!isInvisible(code)) runs.push({ text: formatCodePoint(code), isRare: false, replaces: character })
  }
  return runs
}

/** Of the same width, for measuring with the main font alone: every rare sign is as wide as any other of its script. */
export const toMeasurableText = (runs: readonly FontRun[]): string =>
  runs.map(({ text, isRare }) => (isRare ? '国'.repeat([...text].length) : text)).join('')
