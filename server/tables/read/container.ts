/** What a file is, by its first bytes and never by what it is called. Knows no parser, so that the server may use it. */
import { limits, SheetUnreadable, sentences } from './unreadable.ts'

export type Container = 'zip' | 'cfb' | 'text'

/** Throws `SheetUnreadable` for everything that is known to be no table. */
export function containerOf(bytes: Uint8Array): Container {
  if (bytes.length === 0) throw new SheetUnreadable(sentences.empty)
  if (bytes.length > limits.file_bytes) throw new SheetUnreadable(sentences.too_large)
  const starts = (...mark: (number | string)[]) =>
    mark.every((sign, at) => bytes[at] === (typeof sign === 'string' ? sign.charCodeAt(0) : sign))
  if (starts('P', 'K', 3, 4)) return 'zip'
  if (starts(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return 'cfb'
  if (starts('%', 'P', 'D', 'F')) throw new SheetUnreadable(sentences.pdf)
  if (
    starts(0x89, 'P', 'N', 'G') ||
    starts(0xff, 0xd8, 0xff) ||
    starts('G', 'I', 'F', '8') ||
    starts('R', 'I', 'F', 'F') ||
    starts('B', 'M')
  )
    throw new SheetUnreadable(sentences.picture)
  if (starts('R', 'a', 'r', '!') || starts('7', 'z', 0xbc, 0xaf) || starts(0x1f, 0x8b)) throw new SheetUnreadable(sentences.word)
  const isOld = [0x00, 0x02, 0x04, 0x08].some((version) => starts(0x09, version) && bytes[3] === 0)
  if (starts('P', 'K', 5, 6) || isOld) throw new SheetUnreadable(starts('P', 'K') ? sentences.damaged : sentences.old)
  return 'text'
}
