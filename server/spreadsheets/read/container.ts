/** Detects the type of a file by its first bytes, never by its name. It uses no parser, so the server may call it. */
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'

export type FileContainer = 'zip' | 'cfb' | 'text'

/** Throws `UnreadableSheetError` for every type that is known not to be a table. */
export function detectContainer(bytes: Uint8Array): FileContainer {
  if (bytes.length === 0) throw new UnreadableSheetError(unreadableMessages.empty)
  if (bytes.length > sheetLimits.file_bytes) throw new UnreadableSheetError(unreadableMessages.too_large)
  const starts = (...mark: (number | string)[]) =>
    mark.every((sign, at) => bytes[at] === (typeof sign === 'string' ? sign.charCodeAt(0) : sign))
  if (starts('P', 'K', 3, 4)) return 'zip'
  if (starts(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return 'cfb'
  if (starts('%', 'P', 'D', 'F')) throw new UnreadableSheetError(unreadableMessages.pdf)
  if (
    starts(0x89, 'P', 'N', 'G') ||
    starts(0xff, 0xd8, 0xff) ||
    starts('G', 'I', 'F', '8') ||
    starts('R', 'I', 'F', 'F') ||
    starts('B', 'M')
  )
    throw new UnreadableSheetError(unreadableMessages.picture)
  if (starts('R', 'a', 'r', '!') || starts('7', 'z', 0xbc, 0xaf) || starts(0x1f, 0x8b))
    throw new UnreadableSheetError(unreadableMessages.word)
  const isOld = [0x00, 0x02, 0x04, 0x08].some((version) => starts(0x09, version) && bytes[3] === 0)
  if (starts('P', 'K', 5, 6) || isOld)
    throw new UnreadableSheetError(starts('P', 'K') ? unreadableMessages.damaged : unreadableMessages.old)
  return 'text'
}
