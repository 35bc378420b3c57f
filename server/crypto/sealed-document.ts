/**
 * Encrypted documents: objects of one kind whose schema has a version, stored inside the encrypted value. The only
 * place that opens them, upgrades them to the current version and validates them. Neither errors nor log lines contain
 * a value of a document.
 */
import * as z from 'zod/mini'
import type { SealPosition, Vault } from './secrets.ts'

/** Names the kind and the versions, or the path of the invalid value in the document. */
export class DocumentFormatError extends Error {
  /** The document was written by a later release of the server. */
  readonly isNewerVersion: boolean
  constructor(kind: string, version: number | null, why: string, isLater = false) {
    super(`sealed document "${kind}"${version === null ? '' : ` of version ${version}`}: ${why}`)
    this.name = 'DocumentFormatError'
    this.isNewerVersion = isLater
  }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
type DocumentSpec<T> = {
  /** The name of the document kind, used in errors. */
  readonly kind: string
  /** The version of the schema below. A change requires a new version and an entry in `upgrades` from the one before. */
  readonly version: number
  readonly schema: z.ZodMiniType<T>
  /** Upgrades by version: each converts a document to the next version. */
  readonly upgrades?: Readonly<Record<number, (older: Fields) => Fields>>
  /** Performs the same validation as the schema, but faster, for documents opened by the ten thousand. A test compares both. */
  readonly fastCheck?: (value: Fields) => value is Fields & T
}
type AnyDocumentType = Pick<DocumentSpec<unknown>, 'kind' | 'version'> & {
  readonly schema: z.ZodMiniType
  readonly fastCheck?: (value: Fields) => boolean
}
export type DocumentType<T> = DocumentSpec<T> & {
  seal(vault: Pick<Vault, 'seal'>, position: SealPosition, value: T): Buffer
  open(vault: Pick<Vault, 'openBytes'>, position: SealPosition, sealed: Buffer): T
  /** Parses the decrypted text: used by `open` and by tests of upgrades. */
  read(text: string): T
  write(value: T): string
}

export const documentTypes = new Map<string, AnyDocumentType>()

export function defineDocument<T extends object>(shape: DocumentSpec<T>): DocumentType<T> {
  const { kind, version, schema, upgrades = {}, fastCheck } = shape
  if (documentTypes.has(kind)) throw new TypeError(`two kinds of document are called "${kind}"`)
  for (let from = 1; from < version; from += 1)
    if (!upgrades[from]) throw new TypeError(`"${kind}" is of version ${version} and cannot read version ${from}`)

  const checked = (value: object): T => {
    if (fastCheck && isFields(value) && fastCheck(value)) return value
    const read = z.safeParse(schema, value)
    if (read.success) return read.data
    const issue = read.error.issues[0]
    throw new DocumentFormatError(kind, version, `${issue?.path.map(String).join('.') || 'it'} is not what its schema says`)
  }
  const read = (text: string): T => {
    const provided: unknown = JSON.parse(text)
    const { version: first, ...rest } = isFields(provided) ? provided : {}
    if (typeof first !== 'number' || !Number.isInteger(first) || first < 1)
      throw new DocumentFormatError(kind, null, 'its version is no number')
    if (first > version)
      throw new DocumentFormatError(
        kind,
        first,
        `this server knows it up to version ${version}; a later one has written it`,
        true,
      )
    let value: Fields = rest
    for (let from = first; from < version; from += 1) value = upgrades[from]?.(value) ?? value
    return checked(value)
  }
  const write = (value: T): string => JSON.stringify({ version, ...checked(value) })
  const made: DocumentType<T> = {
    ...shape,
    read,
    write,
    seal: (vault, position, value) => vault.seal(position, Buffer.from(write(value))),
    open: (vault, position, sealed) => read(vault.openBytes(position, sealed).toString('utf8')),
  }
  documentTypes.set(kind, made)
  return made
}
