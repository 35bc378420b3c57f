/**
 * What is sealed as a document: an object of one kind whose shape has a version, which stands inside what is sealed. The one place that opens it, brings
 * it up to the present version and checks it. Nothing here says what is in a document: neither an error nor a log line tells a value of it.
 */
import * as z from 'zod/mini'
import type { SealPosition, Vault } from './secrets.ts'

/** Names the kind and the versions, or where in the document something is wrong. */
export class DocumentFormatError extends Error {
  /** A later release of the server has written it. */
  readonly isNewerVersion: boolean
  constructor(kind: string, version: number | null, why: string, isLater = false) {
    super(`sealed document "${kind}"${version === null ? '' : ` of version ${version}`}: ${why}`)
    this.name = 'DocumentUnreadable'
    this.isNewerVersion = isLater
  }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
type DocumentSpec<T> = {
  /** What it is, as an error names it. */
  readonly kind: string
  /** Of the shape below. Whoever changes the shape raises it and says in `upgrades` how the one before becomes it. */
  readonly version: number
  readonly schema: z.ZodMiniType<T>
  /** By version: makes the next version of it. */
  readonly upgrades?: Readonly<Record<number, (older: Fields) => Fields>>
  /** What the schema checks, in less time, for documents that are opened by the ten thousand. A test holds both together. */
  readonly fastCheck?: (value: Fields) => value is Fields & T
  /** How it was written before there were versions, where that was no object: becomes the first. */
  readonly upgradeUnversioned?: (value: unknown) => Fields
}
type AnyDocumentType = Pick<DocumentSpec<unknown>, 'kind' | 'version'> & {
  readonly schema: z.ZodMiniType
  readonly fastCheck?: (value: Fields) => boolean
}
export type DocumentType<T> = DocumentSpec<T> & {
  seal(vault: Pick<Vault, 'seal'>, place: SealPosition, value: T): Buffer
  open(vault: Pick<Vault, 'openBytes'>, place: SealPosition, sealed: Buffer): T
  /** What was sealed, as text: for `open`, and for tests of upgrades. */
  read(text: string): T
  write(value: T): string
}

/** Every kind that there is, by its name. */
export const documentTypes = new Map<string, AnyDocumentType>()

export function defineDocument<T extends object>(shape: DocumentSpec<T>): DocumentType<T> {
  const { kind, version, schema, upgrades = {}, fastCheck, upgradeUnversioned = () => ({}) } = shape
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
    const { version: written, ...rest } = isFields(provided) ? provided : { version: undefined, ...upgradeUnversioned(provided) }
    // What was written before there were versions is of the first.
    const first = written === undefined ? 1 : written
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
