/** Chooses the font for each character of a text, and a replacement for characters that no font has. Pure. */

export type HasGlyph = (code: number) => boolean
/** `replaces`: the character that the text stands for; it is copied along with it. */
export type FontRun = { readonly text: string; readonly isRare: boolean; readonly replaces?: string }

/** The code point is written so that it can be looked up: 〔U+20BB7〕. An empty box would carry no information. */
const formatCodePoint = (code: number): string => `〔U+${code.toString(16).toUpperCase().padStart(4, '0')}〕`

/** Variation selectors and joiners modify the preceding character; alone they have no glyph. */
const isInvisible = (code: number): boolean =>
  code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)

/**
 * Splits a text into runs of one font each: the main font if it has the character, otherwise the font for rare
 * characters, otherwise the code point as text.
 */
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

/** Returns text of the same width for measuring with the main font alone: a rare character is as wide as any of its script. */
export const toMeasurableText = (runs: readonly FontRun[]): string =>
  runs.map(({ text, isRare }) => (isRare ? '国'.repeat([...text].length) : text)).join('')
