/** A change of a module's source at the positions that its syntax tree names. */
export type SourceEdit = { start: number; end: number; text: string }

export const applyEdits = (code: string, edits: readonly SourceEdit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code)
