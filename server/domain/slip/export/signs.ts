/** Which font draws which signs of a text, and what stands in the place of a sign that none has. Pure. */

export type Knows = (code: number) => boolean
/** `for`: the sign in whose place the text stands; it is copied along with it. */
export type Run = { readonly text: string; readonly rare: boolean; readonly for?: string }

/** As people can look it up: 〔U+20BB7〕. An empty box would say nothing. */
const spelled = (code: number): string => `〔U+${code.toString(16).toUpperCase().padStart(4, '0')}〕`

/** Variation selectors and joiners choose a form of the sign before them; alone they are nothing to draw. */
const isSilent = (code: number): boolean =>
  code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)

/** A text in runs of one font each: the main one, where it has the sign; the one for rare signs, where that has it; else its number in words. */
export function runsOf(text: string, knows: Knows, knowsRare: Knows): Run[] {
  const runs: { text: string; rare: boolean; for?: string }[] = []
  const add = (piece: string, rare: boolean) => {
    const last = runs.at(-1)
    if (last?.rare === rare && !last.for) last.text += piece
    else runs.push({ text: piece, rare })
  }
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0
    if (code < 0x20 || knows(code)) add(sign, false)
    else if (knowsRare(code)) add(sign, true)
    else if (!isSilent(code)) runs.push({ text: spelled(code), rare: false, for: sign })
  }
  return runs
}

/** Of the same width, for measuring with the main font alone: every rare sign is as wide as any other of its script. */
export const measured = (runs: readonly Run[]): string =>
  runs.map(({ text, rare }) => (rare ? '国'.repeat([...text].length) : text)).join('')
